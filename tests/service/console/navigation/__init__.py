"""Tests of how a page of the console is found."""
