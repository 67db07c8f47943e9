"""Hands as received, their scores, and transfers."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "004"
down_revision = "003"


def upgrade() -> None:
    _hands()
    _scores()
    _payouts()
    _transfers()
    one_club_at_a_time("submissions", "hands", "hand_scores", "payouts", "transfers")
    append_only("submissions", "hands", "hand_scores", "payouts", "transfers")


def _hands() -> None:
    """
    Create the submissions, which are request bodies as received, and the hands that they contain.

    A document is one submission, to which all of its hands refer. A hand has what was played and no result.
    """
    op.execute("""
        CREATE TABLE submissions (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            kind text NOT NULL,
            content bytea NOT NULL,
            sha256 bytea NOT NULL,
            received_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT submissions_sha256_check CHECK (sha256 = sha256(content))
        );

        CREATE TABLE hands (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            round_id uuid NOT NULL,
            number integer NOT NULL CHECK (number >= 1),
            button smallint NOT NULL CHECK (button >= 1),
            played_at timestamptz,
            recorded_at timestamptz NOT NULL,
            submission_id uuid NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            content jsonb NOT NULL,
            -- In ascending order; the next two columns follow it.
            seats smallint[] NOT NULL,
            fantasyland smallint[] NOT NULL,
            -- 13 cards of one byte for each seat.
            boards bytea NOT NULL,
            PRIMARY KEY (club_id, id),
            -- A hand that was undone or corrected has several records; a revision scores one of them.
            CONSTRAINT hands_number_key UNIQUE (club_id, round_id, number, id),
            FOREIGN KEY (club_id, round_id) REFERENCES rounds,
            FOREIGN KEY (club_id, submission_id) REFERENCES submissions,
            CONSTRAINT hands_boards_check CHECK (octet_length(boards) = 13 * cardinality(seats)),
            CONSTRAINT hands_fantasyland_check CHECK (cardinality(fantasyland) = cardinality(seats))
        );
        -- Hands are found by when they were played, or recorded if that is not known. PostgreSQL does not use an index
        -- of `coalesce` under row-level security, because it does not list it as leakproof.
        CREATE INDEX hands_played ON hands
            (club_id, (CASE WHEN played_at IS NULL THEN recorded_at ELSE played_at END));
    """)


def _scores() -> None:
    """
    Create the scores of hands in each revision.

    Points, fouls, royalties, Fantasyland cards earned and stays are in the order of the hand's seats; top-ups and
    stacks in the order of all seats of the round; exchanges in paying order.
    """
    op.execute("""
        CREATE TABLE hand_scores (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            number integer NOT NULL,
            hand_id uuid NOT NULL,
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            scorer_version integer NOT NULL,
            points bigint[] NOT NULL,
            fouls boolean[] NOT NULL,
            royalties bigint[] NOT NULL,
            earned smallint[] NOT NULL,
            stays smallint[] NOT NULL,
            exchanges bigint[] NOT NULL,
            top_ups bigint[] NOT NULL,
            stacks_before bigint[] NOT NULL,
            stacks bigint[] NOT NULL,
            transfer_count smallint NOT NULL,
            -- The reasons why the hand could not follow the hands before it, if it was accepted as played. They are
            -- stored because computing them again needs a replay. An empty list also keeps the round open.
            irregular jsonb CONSTRAINT hand_scores_irregular_check CHECK (jsonb_typeof(irregular) = 'array'),
            PRIMARY KEY (club_id, round_id, revision, number),
            FOREIGN KEY (club_id, round_id, number, hand_id) REFERENCES hands (club_id, round_id, number, id),
            FOREIGN KEY (club_id, round_id, revision, ruleset_name, ruleset_version)
                REFERENCES settlements (club_id, round_id, revision, ruleset_name, ruleset_version),
            CONSTRAINT hand_scores_every_player_check CHECK (
                cardinality(fouls) = cardinality(points)
                AND cardinality(royalties) = cardinality(points)
                AND cardinality(earned) = cardinality(points)
                AND cardinality(stays) = cardinality(points)
                AND cardinality(exchanges) = cardinality(points) * (cardinality(points) - 1) / 2
            ),
            CONSTRAINT hand_scores_every_seat_check CHECK (
                cardinality(top_ups) = cardinality(stacks) AND cardinality(stacks_before) = cardinality(stacks)
            ),
            CONSTRAINT hand_scores_negative_check CHECK (
                (0 <= ALL (royalties)) IS TRUE AND (0 <= ALL (earned)) IS TRUE AND (0 <= ALL (stays)) IS TRUE
                AND (0 <= ALL (top_ups)) IS TRUE AND (0 <= ALL (stacks_before)) IS TRUE AND (0 <= ALL (stacks)) IS TRUE
            ),
            CONSTRAINT hand_scores_zero_sum_check CHECK (points_sum(points) = 0),
            CONSTRAINT hand_scores_conserved_check CHECK (
                points_sum(stacks) = points_sum(stacks_before) + points_sum(top_ups)
            )
        );
    """)


def _payouts() -> None:
    """
    Create the payouts: the points of a round that is settled at its end.

    A departure or closing that ends the round pays them after the last hand.
    """
    op.execute("""
        CREATE TABLE payouts (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            number integer NOT NULL,
            stacks_before bigint[] NOT NULL,
            stacks bigint[] NOT NULL,
            transfer_count smallint NOT NULL CHECK (transfer_count > 0),
            PRIMARY KEY (club_id, round_id, revision),
            FOREIGN KEY (club_id, round_id, revision, number) REFERENCES hand_scores,
            CONSTRAINT payouts_every_seat_check CHECK (cardinality(stacks) = cardinality(stacks_before)),
            CONSTRAINT payouts_negative_check CHECK (
                (0 <= ALL (stacks_before)) IS TRUE AND (0 <= ALL (stacks)) IS TRUE
            ),
            CONSTRAINT payouts_conserved_check CHECK (points_sum(stacks) = points_sum(stacks_before))
        );
    """)


def _transfers() -> None:
    op.execute("""
        CREATE TABLE transfers (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            number integer NOT NULL,
            -- Paid by the payout after the hand, not by the hand.
            late boolean NOT NULL,
            position smallint NOT NULL CHECK (position >= 1),
            payer smallint NOT NULL,
            payee smallint NOT NULL,
            due bigint NOT NULL CHECK (due > 0),
            paid bigint NOT NULL,
            limited_by text CHECK (limited_by IN ('payer_stack', 'winner_room')),
            -- The stacks after the transfer.
            payer_stack bigint NOT NULL,
            payee_stack bigint NOT NULL,
            PRIMARY KEY (club_id, round_id, revision, number, late, position),
            FOREIGN KEY (club_id, round_id, revision, number) REFERENCES hand_scores,
            CONSTRAINT transfers_to_another_check CHECK (payer <> payee),
            CONSTRAINT transfers_paid_check CHECK (paid BETWEEN 0 AND due),
            CONSTRAINT transfers_limited_when_cut_check CHECK ((limited_by IS NULL) = (paid = due)),
            CONSTRAINT transfers_negative_check CHECK (payer_stack >= 0 AND payee_stack >= 0)
        );
    """)
