"""The thin client: a library that speaks the service's HTTP API, and the command `ofc`."""
