"""Verification of evidence files from their content alone: the checks of `ofc verify` and of the console."""
