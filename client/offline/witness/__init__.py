"""A witness of checkpoints: its configuration, its store, and what it responds."""
