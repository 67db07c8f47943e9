"""Rounds with their settlements, seats and endings, and the heads of rounds, which change."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "003"
down_revision = "002"


def upgrade() -> None:
    _rounds()
    _settlements()
    _seats()
    _endings()
    _heads()
    one_club_at_a_time("rounds", "settlements", "round_seats", "departures", "closings", "round_heads")
    append_only("rounds", "settlements", "round_seats", "departures", "closings")


def _rounds() -> None:
    """
    Create the rounds: what is the same in all revisions.

    Rounds of a table are numbered in the order in which they were recorded. A document can set the opening time.
    """
    op.execute("""
        CREATE TABLE rounds (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            table_id uuid NOT NULL,
            table_sequence integer NOT NULL CHECK (table_sequence >= 1),
            reference text,
            imported boolean NOT NULL,
            -- Of the document; a round with the same content is a replay.
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            point_value bigint CHECK (point_value >= 0),
            unit text CHECK (unit ~ '^[A-Za-z][A-Za-z0-9]{1,11}$'),
            unit_digits smallint CHECK (unit_digits BETWEEN 0 AND 8),
            charge_per text CHECK (charge_per IN ('hand', 'round')),
            charge_amount bigint CHECK (charge_amount > 0),
            correction_window_minutes integer NOT NULL CHECK (correction_window_minutes >= 0),
            opened_at timestamptz NOT NULL,
            recorded_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT rounds_charge_check CHECK ((charge_per IS NULL) = (charge_amount IS NULL)),
            CONSTRAINT rounds_unit_has_digits_check CHECK ((unit IS NULL) = (unit_digits IS NULL)),
            CONSTRAINT rounds_reference_key UNIQUE (club_id, table_id, reference),
            -- For pages of a table's rounds, and for foreign keys that compare the table too.
            CONSTRAINT rounds_table_id_key UNIQUE (club_id, table_id, id),
            CONSTRAINT rounds_table_sequence_key UNIQUE (club_id, table_id, table_sequence),
            FOREIGN KEY (club_id, table_id) REFERENCES tables
        );
        CREATE INDEX rounds_reference ON rounds (club_id, reference text_pattern_ops) WHERE reference IS NOT NULL;
        CREATE INDEX rounds_digest ON rounds (club_id, table_id, digest);
        CREATE INDEX rounds_opened_at ON rounds (club_id, opened_at, id);
        CREATE INDEX rounds_opened_at_table ON rounds (club_id, table_id, opened_at, id);
        -- The last rounds of a table are searched among those that were not imported.
        CREATE INDEX rounds_at_table ON rounds (club_id, table_id, table_sequence) WHERE NOT imported;
    """)


def _settlements() -> None:
    """
    Create the settlements: one for each revision of a round.

    The first revision is the round as it was recorded. Each correction adds one. A revision that adjusts a final
    settlement refers to it, because it has no payments if all nets are the same.
    """
    op.execute("""
        CREATE TABLE settlements (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL CHECK (revision >= 1),
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            -- The digest of the text, which can be erased; that of departures and closings likewise.
            reason bytea CHECK (octet_length(reason) = 32),
            adjusts_revision integer,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, revision),
            -- For foreign keys of scores: a hand is scored by the ruleset of its revision.
            CONSTRAINT settlements_ruleset_key UNIQUE (club_id, round_id, revision, ruleset_name, ruleset_version),
            CONSTRAINT settlements_adjusts_check CHECK (adjusts_revision < revision),
            CONSTRAINT settlements_adjusts_revision_fkey
                FOREIGN KEY (club_id, round_id, adjusts_revision) REFERENCES settlements,
            FOREIGN KEY (club_id, round_id) REFERENCES rounds,
            FOREIGN KEY (club_id, ruleset_name, ruleset_version) REFERENCES rulesets
        );
    """)


def _seats() -> None:
    op.execute("""
        CREATE TABLE round_seats (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            seat smallint NOT NULL CHECK (seat >= 1),
            player text NOT NULL CHECK (player <> ''),
            opening_stack bigint NOT NULL CHECK (opening_stack > 0),
            -- The stack was taken over from an earlier round of the table.
            carried_over boolean NOT NULL,
            PRIMARY KEY (club_id, round_id, revision, seat),
            CONSTRAINT round_seats_player_key UNIQUE (club_id, round_id, revision, player),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements
        );
        CREATE INDEX round_seats_of_player ON round_seats (club_id, player, round_id);
    """)


def _endings() -> None:
    """Create the departures of players from a round, and the closings of rounds before their end."""
    op.execute("""
        CREATE TABLE departures (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            position smallint NOT NULL CHECK (position >= 1),
            seat smallint NOT NULL,
            after_hand integer NOT NULL CHECK (after_hand >= 1),
            reason bytea CHECK (octet_length(reason) = 32),
            recorded_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, revision, position),
            CONSTRAINT departures_seat_key UNIQUE (club_id, round_id, revision, seat),
            FOREIGN KEY (club_id, round_id, revision, seat) REFERENCES round_seats
        );

        CREATE TABLE closings (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            after_hand integer NOT NULL CHECK (after_hand >= 0),
            reason bytea CHECK (octet_length(reason) = 32),
            recorded_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, revision),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements
        );
    """)


def _heads() -> None:
    """
    Create the heads of rounds: the current state of each round, which every hand locks and updates.

    A head can be rebuilt from the records. Pages are half empty, so that updates need no change of an index. The state
    of the settlement follows from other columns, which a check enforces; it is stored for queries.
    """
    op.execute("""
        CREATE TABLE round_heads (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            table_id uuid NOT NULL,
            status text NOT NULL CHECK (status IN ('open', 'complete', 'closed')),
            -- Counts the changes of the round; its newest event has this number.
            version integer NOT NULL CHECK (version >= 1),
            last_event bytea NOT NULL CHECK (octet_length(last_event) IN (0, 32)),
            revision integer NOT NULL,
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            hands integer NOT NULL CHECK (hands >= 0),
            -- The next five columns are in the order of the seats.
            seats smallint[] NOT NULL,
            players text[] NOT NULL,
            opening_stacks bigint[] NOT NULL,
            top_ups bigint[] NOT NULL,
            stacks bigint[] NOT NULL,
            -- What the rules need to play the next hand.
            state jsonb NOT NULL,
            settlement_state text NOT NULL,
            provisional_until timestamptz,
            final_revision integer CHECK (final_revision >= 1),
            open_disputes smallint NOT NULL CHECK (open_disputes >= 0),
            PRIMARY KEY (club_id, round_id),
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            FOREIGN KEY (club_id, round_id, revision, ruleset_name, ruleset_version)
                REFERENCES settlements (club_id, round_id, revision, ruleset_name, ruleset_version),
            CONSTRAINT round_heads_every_seat_check CHECK (
                cardinality(seats) >= 2
                AND cardinality(players) = cardinality(seats)
                AND cardinality(opening_stacks) = cardinality(seats)
                AND cardinality(top_ups) = cardinality(seats)
                AND cardinality(stacks) = cardinality(seats)
            ),
            -- IS TRUE, because an array with a NULL would pass otherwise.
            CONSTRAINT round_heads_negative_check CHECK (
                (0 < ALL (opening_stacks)) IS TRUE AND (0 <= ALL (top_ups)) IS TRUE AND (0 <= ALL (stacks)) IS TRUE
            ),
            CONSTRAINT round_heads_conserved_check CHECK (
                points_sum(stacks) = points_sum(opening_stacks) + points_sum(top_ups)
            ),
            CONSTRAINT round_heads_final_check CHECK (final_revision <= revision),
            CONSTRAINT round_heads_settlement_check CHECK (
                settlement_state = CASE
                    WHEN status = 'open' THEN 'open'
                    WHEN open_disputes > 0 THEN 'disputed'
                    WHEN final_revision = revision THEN 'final'
                    ELSE 'provisional'
                END
            ),
            CONSTRAINT round_heads_window_check CHECK (
                (provisional_until IS NOT NULL) = (settlement_state = 'provisional')
            ),
            -- One open round for each table. Deferrable, because a document is open while it is played to its end.
            CONSTRAINT round_heads_one_open
                EXCLUDE USING btree (club_id WITH =, table_id WITH =) WHERE (status = 'open') DEFERRABLE
        ) WITH (fillfactor = 50);
    """)
    _head_indexes()


def _head_indexes() -> None:
    op.execute("""
        CREATE INDEX round_heads_status ON round_heads (club_id, status, round_id);
        -- For the sweeper, which makes settlements final.
        CREATE INDEX round_heads_provisional ON round_heads (club_id, provisional_until)
            WHERE provisional_until IS NOT NULL;
        CREATE INDEX round_heads_unsettled ON round_heads (club_id, settlement_state, round_id)
            WHERE settlement_state IN ('provisional', 'disputed');
    """)
