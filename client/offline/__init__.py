"""What works without a service: scoring, playing rounds, and verifying evidence by the same rules."""
