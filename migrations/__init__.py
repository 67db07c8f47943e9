"""The migrations of the database. There are no downgrades, because they would delete records."""
