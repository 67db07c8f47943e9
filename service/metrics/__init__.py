"""Metrics for Prometheus. They contain no name, id or value of a club."""
