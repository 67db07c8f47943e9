"""Policies for links to one table, with conditions whose rows PostgreSQL can estimate."""

from alembic import op

revision = "019"
down_revision = "018"

_AT_TABLE = "CASE WHEN (SELECT current_table()) IS NULL THEN true ELSE {} END"


def upgrade() -> None:
    """
    Replace the conditions of the policies by equal ones.

    PostgreSQL assumed that `current_table() IS NULL OR table_id = current_table()` excludes almost all rows, and read
    all rounds of a club to list the first ones of a player. It does not assume this of `CASE`.
    """
    conditions = dict.fromkeys(
        ("rounds", "round_heads", "disputes", "table_links", "feed_entries", "scorekeepers"),
        "table_id = (SELECT current_table())",
    )
    conditions["tables"] = "id = (SELECT current_table())"
    conditions["hands"] = """EXISTS (
        SELECT FROM round_heads AS head
        WHERE head.club_id = hands.club_id AND head.round_id = hands.round_id
            AND head.table_id = (SELECT current_table())
    )"""
    for table, condition in conditions.items():
        op.execute(f"ALTER POLICY one_table ON {table} USING ({_AT_TABLE.format(condition)})")
