"""The journal of a club: what every round, payment and charge has added to what players owe each other."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "016"
down_revision = "015"


def upgrade() -> None:
    _entries()
    _indexes()
    one_club_at_a_time("entries")
    append_only("entries")
    _one_table_or_round_at_a_time()
    _to_webhooks()


def _entries() -> None:
    """
    Create the journal. An entry has the ID of the event that it follows from, so that no event is posted twice.

    An amount above zero is owed to its account, one below zero is owed by it. The account of the house is the empty
    text, which is no player.
    """
    op.execute("""
        CREATE TABLE entries (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('settlement', 'adjustment', 'reversal', 'payment', 'charge')),
            posted_at timestamptz NOT NULL,
            -- Of a round when it was opened, of a payment when it was paid.
            played_at timestamptz NOT NULL,
            round_id uuid,
            revision integer,
            previous_revision integer,
            table_id uuid,
            -- The code of a currency or of a unit of the club, or the ID of a table whose points have no value.
            unit text NOT NULL CHECK (unit <> ''),
            unit_digits smallint NOT NULL CHECK (unit_digits BETWEEN 0 AND 8),
            accounts text[] NOT NULL,
            amounts bigint[] NOT NULL,
            -- How much of each amount is the standing charge of the round. NULL if nothing is.
            charges bigint[],
            -- The client's ID of a payment or charge.
            reference text CHECK (reference <> ''),
            reverses uuid,
            PRIMARY KEY (club_id, id),
            CONSTRAINT entries_reverses_key UNIQUE (club_id, reverses),
            FOREIGN KEY (club_id, id) REFERENCES events,
            FOREIGN KEY (club_id, reverses) REFERENCES entries,
            FOREIGN KEY (club_id, table_id) REFERENCES tables,
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements,
            FOREIGN KEY (club_id, round_id, previous_revision) REFERENCES settlements (club_id, round_id, revision),
            CONSTRAINT entries_zero_sum_check CHECK (points_sum(amounts) = 0),
            CONSTRAINT entries_accounts_check CHECK (
                cardinality(accounts) >= 2 AND cardinality(accounts) = cardinality(amounts)
                AND array_position(accounts, NULL) IS NULL AND array_position(amounts, NULL) IS NULL
            ),
            -- IS TRUE, because an array with a NULL would pass otherwise.
            CONSTRAINT entries_charges_check CHECK (
                charges IS NULL OR revision IS NOT NULL AND (
                    cardinality(charges) = cardinality(accounts) AND points_sum(charges) = 0
                    AND array_position(charges, NULL) IS NULL
                ) IS TRUE
            ),
            CONSTRAINT entries_round_check CHECK (round_id IS NULL OR table_id IS NOT NULL),
            CONSTRAINT entries_fields_check CHECK (
                CASE
                    WHEN kind = 'settlement' THEN
                        round_id IS NOT NULL AND revision IS NOT NULL AND previous_revision IS NULL
                        AND reference IS NULL AND reverses IS NULL
                    WHEN kind = 'adjustment' OR kind = 'reversal' AND reverses IS NULL THEN
                        round_id IS NOT NULL AND revision IS NOT NULL AND previous_revision IS NOT NULL
                        AND previous_revision < revision AND reference IS NULL AND reverses IS NULL
                    ELSE revision IS NULL AND previous_revision IS NULL
                        AND (kind = 'reversal') = (reference IS NULL)
                        AND (kind = 'reversal') = (reverses IS NOT NULL)
                END
            )
        );
    """)


def _indexes() -> None:
    """Create the indexes by which the journal is read."""
    op.execute("""
        CREATE UNIQUE INDEX entries_reference_key ON entries (club_id, reference) WHERE reference IS NOT NULL;
        CREATE INDEX entries_of_round ON entries (club_id, round_id) WHERE round_id IS NOT NULL;
        CREATE INDEX entries_of_unit ON entries (club_id, unit);
        CREATE INDEX entries_with_charges ON entries (club_id, round_id)
            WHERE round_id IS NOT NULL AND (revision IS NULL OR charges IS NOT NULL);
        CREATE INDEX entries_played_at ON entries (club_id, played_at);
        CREATE INDEX entries_without_revision ON entries (club_id, id) WHERE revision IS NULL;
    """)


def _one_table_or_round_at_a_time() -> None:
    """
    Show a link the entries of its table or its round only.

    A personal link also shows the player's own payments and charges in the whole club.
    """
    op.execute("""
        CREATE POLICY one_table ON entries AS RESTRICTIVE USING (
            CASE WHEN (SELECT current_table()) IS NULL THEN true
                WHEN revision IS NULL AND accounts && CAST((SELECT ids_of_player(current_player())) AS text[]) THEN true
                ELSE table_id = (SELECT current_table())
                    AND CASE WHEN (SELECT current_round()) IS NULL THEN true
                        ELSE round_id = (SELECT current_round()) END
            END
        );
    """)


def _to_webhooks() -> None:
    """Send that a payment or charge was recorded or reversed."""
    op.execute("""
        CREATE FUNCTION send_entry() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            recorded entries := NEW;
        BEGIN
            IF NOT has_webhooks() THEN
                RETURN NULL;
            END IF;
            IF NEW.reverses IS NOT NULL THEN
                SELECT * INTO recorded FROM entries WHERE club_id = NEW.club_id AND id = NEW.reverses;
            END IF;
            PERFORM send_to_webhooks(
                recorded.kind || CASE WHEN NEW.reverses IS NULL THEN '.recorded' ELSE '.reversed' END,
                jsonb_build_object(recorded.kind || '_id', recorded.id, 'reference', recorded.reference)
                    || CASE WHEN NEW.reverses IS NULL THEN '{}' ELSE jsonb_build_object('reversal_id', NEW.id) END,
                NULL, NULL, 1);
            RETURN NULL;
        END $$;

        CREATE TRIGGER send_to_webhooks AFTER INSERT ON entries FOR EACH ROW
            WHEN (NEW.revision IS NULL) EXECUTE FUNCTION send_entry();
    """)
