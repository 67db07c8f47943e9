"""The shape of the database, version by version. Nothing is ever downgraded: what was recorded is not thrown away."""
