"""What is owed in the whole club, for the transactions of links: functions that see more than their table."""

from alembic import op

revision = "022"
down_revision = "016"


def upgrade() -> None:
    _for_links()


def _for_links() -> None:
    """
    Create functions by which a transaction of a link learns a fact of the whole club, and nothing else of it.

    Money is owed in the whole club, so that a payment at one table can be recorded already at another one, or by the
    manager. A function has the settings of the link set to nothing while it runs. The club remains.
    """
    op.execute("""
        CREATE FUNCTION is_reference_used(sought text) RETURNS boolean LANGUAGE sql STABLE
            SET ofc."table" = '' SET ofc.round = '' AS $$
            SELECT EXISTS (SELECT FROM entries WHERE club_id = current_club() AND reference = sought)
        $$;

        CREATE FUNCTION find_equal_entry(
            of_kind text, of_unit text, of_accounts text[], of_amounts bigint[], of_round uuid, paid_at timestamptz
        ) RETURNS uuid LANGUAGE sql STABLE SET ofc."table" = '' SET ofc.round = '' AS $$
            SELECT entry.id FROM entries AS entry
            WHERE entry.club_id = current_club() AND entry.revision IS NULL
                AND entry.kind = of_kind AND entry.unit = of_unit
                AND entry.accounts = of_accounts AND entry.amounts = of_amounts
                AND (of_kind = 'payment' OR entry.round_id IS NOT DISTINCT FROM of_round)
                AND CASE WHEN of_kind = 'payment' THEN
                    entry.played_at BETWEEN coalesce(paid_at, now()) - interval '12 hours'
                        AND coalesce(paid_at, now()) + interval '12 hours'
                    ELSE true END
                AND NOT EXISTS (
                    SELECT FROM entries AS reversal
                    WHERE (reversal.club_id, reversal.reverses) = (entry.club_id, entry.id)
                )
            ORDER BY entry.id DESC LIMIT 1
        $$;

        CREATE FUNCTION find_net_balance(of_unit text, of_account text) RETURNS numeric LANGUAGE sql STABLE
            SET ofc."table" = '' SET ofc.round = '' AS $$
            SELECT coalesce(sum(part.amount), 0)
            FROM entries AS entry CROSS JOIN LATERAL unnest(entry.accounts, entry.amounts) AS part (account, amount)
            WHERE entry.club_id = current_club() AND entry.unit = of_unit AND part.account = of_account
        $$;
    """)
