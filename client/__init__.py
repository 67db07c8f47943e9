"""A client of the service: a Python library that speaks its HTTP API, and the command `ofc`."""
