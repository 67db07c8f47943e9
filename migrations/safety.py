"""
What every table that the migrations make has in common: it keeps clubs apart, and records stay as they were.

Migrations that have run rely on these; what has to change here gets another name.
"""

from alembic import op


def one_club_at_a_time(*tables: str, club: str = "club_id") -> None:
    """
    Let a transaction see and write the rows of its own club only, whoever owns the table.

    The club is what `ofc.club` was set to for the transaction; where it was not, there are no rows.
    """
    for table in tables:
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
            CREATE POLICY club ON {table} USING ({club} = current_club()) WITH CHECK ({club} = current_club());
        """)


def append_only(*tables: str) -> None:
    """
    Refuse to change, delete or truncate records, also to the owner of the table.

    Privileges refuse it to the service already; the triggers are for everybody else's mistakes.
    """
    for table in tables:
        op.execute(f"""
            CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}
                FOR EACH ROW EXECUTE FUNCTION refuse_change();
            CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        """)
