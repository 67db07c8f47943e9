"""Tests of every list of the console."""
