"""Events of the audit trail as sentences."""
