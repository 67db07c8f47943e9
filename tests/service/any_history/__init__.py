"""Whatever happens in a club, in whatever order: the service held against a model in plain Python at every step."""
