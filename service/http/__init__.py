"""The HTTP API: one file per resource; each view decodes, calls one use case and encodes."""
