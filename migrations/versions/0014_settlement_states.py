"""States, confirmations and adjustments of settlements."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    _windows()
    _heads()
    _confirmations()
    _adjustments()
    _found_by_sweepers()
    one_club_at_a_time("confirmations", "adjustments")
    append_only("confirmations", "adjustments")


def _windows() -> None:
    """Add the correction window to tables, and to rounds when they are opened."""
    for table in ("tables", "rounds"):
        op.execute(f"""
            ALTER TABLE {table} ADD COLUMN correction_window_minutes integer NOT NULL DEFAULT 30
                CHECK (correction_window_minutes >= 0);
            ALTER TABLE {table} ALTER COLUMN correction_window_minutes DROP DEFAULT;
        """)


def _heads() -> None:
    """
    Add the state of the settlement to the heads of rounds.

    The state is derived from other columns, and stored for queries; a check enforces it. Existing settlements get the
    same window as new ones: the columns are filled by a change of their type, from which policies hide no rows.
    """
    op.execute("""
        ALTER TABLE round_heads
            ADD COLUMN settlement_state text NOT NULL DEFAULT 'open',
            ADD COLUMN provisional_until timestamptz,
            ADD COLUMN final_revision integer CHECK (final_revision >= 1),
            ADD COLUMN open_disputes smallint NOT NULL DEFAULT 0 CHECK (open_disputes >= 0);
        ALTER TABLE round_heads
            ALTER COLUMN settlement_state DROP DEFAULT,
            ALTER COLUMN settlement_state TYPE text
                USING CASE status WHEN 'open' THEN 'open' ELSE 'provisional' END,
            ALTER COLUMN provisional_until TYPE timestamptz
                USING CASE status WHEN 'open' THEN NULL ELSE now() + interval '30 minutes' END;
        ALTER TABLE round_heads
            ALTER COLUMN open_disputes DROP DEFAULT,
            ADD CONSTRAINT round_heads_final_check CHECK (final_revision <= revision),
            ADD CONSTRAINT round_heads_settlement_check CHECK (
                settlement_state = CASE
                    WHEN status = 'open' THEN 'open'
                    WHEN open_disputes > 0 THEN 'disputed'
                    WHEN final_revision = revision THEN 'final'
                    ELSE 'provisional'
                END
            ),
            ADD CONSTRAINT round_heads_window_check CHECK (
                (provisional_until IS NOT NULL) = (settlement_state = 'provisional')
            );
        CREATE INDEX round_heads_provisional ON round_heads (club_id, provisional_until)
            WHERE provisional_until IS NOT NULL;
        CREATE INDEX round_heads_unsettled ON round_heads (club_id, settlement_state, round_id)
            WHERE settlement_state IN ('provisional', 'disputed');
    """)


def _confirmations() -> None:
    op.execute("""
        CREATE TABLE confirmations (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            seat smallint NOT NULL,
            confirmed_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, revision, seat),
            FOREIGN KEY (club_id, round_id, revision, seat) REFERENCES round_seats
        );
    """)


def _adjustments() -> None:
    """
    Create the adjustments: payments after the correction of a final settlement.

    Each payment is from one player to another, so the points add up. The revision records that it adjusts a final one,
    because there are no payments if the nets are the same.
    """
    op.execute("""
        ALTER TABLE settlements
            ADD COLUMN adjusts_revision integer,
            ADD CONSTRAINT settlements_adjusts_check CHECK (adjusts_revision < revision),
            ADD CONSTRAINT settlements_adjusts_revision_fkey
                FOREIGN KEY (club_id, round_id, adjusts_revision) REFERENCES settlements;

        CREATE TABLE adjustments (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            position smallint NOT NULL CHECK (position >= 1),
            payer text NOT NULL CHECK (payer <> ''),
            payee text NOT NULL CHECK (payee <> '' AND payee <> payer),
            points bigint NOT NULL CHECK (points > 0),
            PRIMARY KEY (club_id, round_id, revision, position),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements
        );
    """)


def _found_by_sweepers() -> None:
    """
    Create the function that lists the clubs with settlements whose correction window has passed.

    The function has no special rights: it sets a variable for one query, and uses an index of provisional settlements.
    """
    op.execute("""
        CREATE POLICY sought ON clubs FOR SELECT USING (current_setting('ofc.clubs', true) = 'sought');

        CREATE FUNCTION clubs_with_settlements_due(moment timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.clubs', 'sought', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM round_heads WHERE club_id = club AND provisional_until <= moment) THEN
                    RETURN NEXT club;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
