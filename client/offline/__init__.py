"""What needs no service: the same rules, here."""
