"""The command `ofc`, one file for what belongs together."""
