"""What the service counts, for Prometheus. No name, id or value of a club is ever in it."""
