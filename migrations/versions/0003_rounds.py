"""Rounds, their seats and endings, and the round heads, which change."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _rounds()
    _endings()
    _heads()
    one_club_at_a_time("rounds", "settlements", "round_seats", "departures", "closings", "round_heads")
    append_only("rounds", "settlements", "round_seats", "departures", "closings")


def _rounds() -> None:
    op.execute("""
        CREATE TABLE rounds (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            table_id uuid NOT NULL,
            reference text,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            point_value bigint CHECK (point_value >= 0),
            currency text CHECK (currency ~ '^[A-Z]{3}$'),
            opened_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT rounds_reference_key UNIQUE (club_id, table_id, reference),
            -- Pages of a table's rounds, and what a head's table must agree with.
            CONSTRAINT rounds_table_id_key UNIQUE (club_id, table_id, id),
            FOREIGN KEY (club_id, table_id) REFERENCES tables
        );
        CREATE INDEX rounds_digest ON rounds (club_id, table_id, digest);
        CREATE INDEX rounds_opened_at ON rounds (club_id, opened_at);

        -- One play of the round from its records: the first as it happens, a later one where they were corrected.
        CREATE TABLE settlements (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL CHECK (revision >= 1),
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            reason text,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, revision),
            -- So that a hand's score names the rules that its revision is played by.
            CONSTRAINT settlements_ruleset_key UNIQUE (club_id, round_id, revision, ruleset_name, ruleset_version),
            CONSTRAINT settlements_reason_check CHECK (revision = 1 OR reason IS NOT NULL),
            FOREIGN KEY (club_id, round_id) REFERENCES rounds,
            FOREIGN KEY (club_id, ruleset_name, ruleset_version) REFERENCES rulesets
        );

        CREATE TABLE round_seats (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            seat smallint NOT NULL CHECK (seat >= 1),
            player text NOT NULL CHECK (player <> ''),
            opening_stack bigint NOT NULL CHECK (opening_stack > 0),
            carried_over boolean NOT NULL,
            PRIMARY KEY (club_id, round_id, revision, seat),
            CONSTRAINT round_seats_player_key UNIQUE (club_id, round_id, revision, player),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements
        );
        CREATE INDEX round_seats_of_player ON round_seats (club_id, player, round_id);
    """)


def _endings() -> None:
    op.execute("""
        CREATE TABLE departures (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            position smallint NOT NULL CHECK (position >= 1),
            seat smallint NOT NULL,
            after_hand integer NOT NULL CHECK (after_hand >= 1),
            reason text,
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
            reason text NOT NULL,
            recorded_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, revision),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements
        );
    """)


def _heads() -> None:
    """
    Create the heads of rounds: their current state, which every hand locks and updates.

    It can be rebuilt from the records. Pages are half empty, so that updates need no change of an index.
    """
    op.execute("""
        CREATE TABLE round_heads (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            table_id uuid NOT NULL,
            status text NOT NULL CHECK (status IN ('open', 'complete', 'closed')),
            version integer NOT NULL CHECK (version >= 1),
            revision integer NOT NULL,
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            hands integer NOT NULL CHECK (hands >= 0),
            seats smallint[] NOT NULL,
            players text[] NOT NULL,
            opening_stacks bigint[] NOT NULL,
            top_ups bigint[] NOT NULL,
            stacks bigint[] NOT NULL,
            state jsonb NOT NULL,
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
            -- IS TRUE, for a NULL among them would pass otherwise.
            CONSTRAINT round_heads_negative_check CHECK (
                (0 < ALL (opening_stacks)) IS TRUE AND (0 <= ALL (top_ups)) IS TRUE AND (0 <= ALL (stacks)) IS TRUE
            ),
            CONSTRAINT round_heads_conserved_check CHECK (
                points_sum(stacks) = points_sum(opening_stacks) + points_sum(top_ups)
            )
        ) WITH (fillfactor = 50);
        -- One open round a table. A document that is played to its end disturbs none: while it is, the check waits.
        ALTER TABLE round_heads ADD CONSTRAINT round_heads_one_open
            EXCLUDE USING btree (club_id WITH =, table_id WITH =) WHERE (status = 'open') DEFERRABLE;
        CREATE INDEX round_heads_status ON round_heads (club_id, status, round_id);
    """)
