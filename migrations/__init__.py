"""
The migrations of the database. There are no downgrades, because they would delete records.

Revisions have three digits. Databases of early development versions have revisions of four digits, which are
refused: docs/deployment.md#move-from-an-earlier-version.
"""
