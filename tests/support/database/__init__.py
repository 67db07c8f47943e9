"""Support of tests that work with PostgreSQL itself."""
