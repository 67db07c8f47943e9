"""The commands of `ofc`, one module a subject."""
