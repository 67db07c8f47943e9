"""
Row-level security and append-only triggers, for all tables.

Released migrations use these functions, so a change needs a new function.
"""

from alembic import op


def one_club_at_a_time(*tables: str, club: str = "club_id") -> None:
    """
    Enable row-level security: a transaction sees and writes the rows of its club only, even as the owner.

    The club is the setting `ofc.club` of the transaction; without it, no rows are visible.

    PostgreSQL keeps the frequency of the largest club only, and takes the others for as large as they are on average.
    If it had all clubs in its statistics, it would take one that is newer for a single row: every index that begins
    with the club looks alike then, and a list that looks up a record for each of its own reads all of the club each
    time. A second club is known as soon as the tables are analyzed, which a few records make due.
    """
    for table in tables:
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
            ALTER TABLE {table} ALTER COLUMN {club} SET STATISTICS 1,
                SET (autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 500);
            CREATE POLICY club ON {table} USING ({club} = current_club()) WITH CHECK ({club} = current_club());
        """)


def append_only(*tables: str) -> None:
    """
    Add triggers that reject updates, deletes and truncates, even of the owner.

    The service lacks the privileges; the triggers protect against mistakes of others.
    """
    for table in tables:
        op.execute(f"""
            CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}
                FOR EACH ROW EXECUTE FUNCTION refuse_change();
            CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        """)
