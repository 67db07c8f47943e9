"""Units of amounts that clubs define."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "019"
down_revision = "018"


def upgrade() -> None:
    """
    Create the units of clubs. A unit never changes: records have its code and its digits.

    Codes that differ only in capital letters would be mistaken for each other.
    """
    op.execute("""
        CREATE TABLE units (
            club_id uuid NOT NULL REFERENCES clubs,
            code text NOT NULL CHECK (code ~ '^[A-Za-z][A-Za-z0-9]{1,11}$'),
            name text NOT NULL CHECK (name <> ''),
            digits smallint NOT NULL CHECK (digits BETWEEN 0 AND 8),
            defined_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, code)
        );
        CREATE UNIQUE INDEX units_code_key ON units (club_id, lower(code));
    """)
    one_club_at_a_time("units")
    append_only("units")
    # A link reads the units of its table in the records of its table.
    op.execute("""
        CREATE POLICY one_table ON units AS RESTRICTIVE FOR SELECT USING ((SELECT current_table()) IS NULL);
    """)
