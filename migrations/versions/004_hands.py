"""Hands as received, their scores, and transfers."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "004"
down_revision = "003"


def upgrade() -> None:
    _hands()
    _transfers()
    _scores()
    _payouts()
    _list_transfers()
    one_club_at_a_time("submissions", "hands", "hand_scores", "payouts")
    append_only("submissions", "hands", "hand_scores", "payouts")


def _hands() -> None:
    """
    Create the submissions, which are request bodies as received, and the hands that they contain.

    A document is one submission, to which all of its hands refer. A hand has what was played and no result.

    A request body with a text of a person is such a text itself, because it is erased with it: it is in `texts`, and
    the submission has its digest.
    """
    op.execute("""
        CREATE TABLE submissions (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            kind text NOT NULL,
            content bytea,
            sha256 bytea,
            text bytea CHECK (octet_length(text) = 32),
            received_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT submissions_sha256_check CHECK (
                sha256 IS NOT DISTINCT FROM sha256(content) AND (content IS NULL) = (text IS NOT NULL)
            )
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
            -- The client's own ID. The records of a corrected hand have the same one, so no constraint makes it unique.
            reference text CHECK (reference <> ''),
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
        CREATE INDEX hands_reference ON hands (club_id, reference) WHERE reference IS NOT NULL;
    """)


def _transfers() -> None:
    """Create the type of a transfer: points that one player pays to another."""
    op.execute("""
        CREATE TYPE transfer AS (
            payer smallint,
            payee smallint,
            due bigint,
            paid bigint,
            -- NULL, 'payer_stack' or 'winner_room'.
            limited_by text,
            -- The stacks after the transfer.
            payer_stack bigint,
            payee_stack bigint
        );
    """)


def _scores() -> None:
    """
    Create the scores of hands in each revision.

    Points, fouls, royalties, Fantasyland cards earned and stays are in the order of the hand's seats; top-ups and
    stacks in the order of all seats of the round; exchanges and scoops in paying order.
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
            -- The other royalties are those of the bottom row.
            royalties_top bigint[] NOT NULL,
            royalties_middle bigint[] NOT NULL,
            -- The points by what they are for; the other points are royalties.
            from_rows bigint[] NOT NULL,
            from_bonuses bigint[] NOT NULL,
            from_fouls bigint[] NOT NULL,
            earned smallint[] NOT NULL,
            stays smallint[] NOT NULL,
            exchanges bigint[] NOT NULL,
            -- 1 if the first player of a pair wins all rows, -1 if the second does, 0 otherwise.
            scoops smallint[] NOT NULL,
            top_ups bigint[] NOT NULL,
            stacks_before bigint[] NOT NULL,
            stacks bigint[] NOT NULL,
            transfers transfer[] NOT NULL,
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
                AND cardinality(royalties_top) = cardinality(points)
                AND cardinality(royalties_middle) = cardinality(points)
                AND cardinality(from_rows) = cardinality(points)
                AND cardinality(from_bonuses) = cardinality(points)
                AND cardinality(from_fouls) = cardinality(points)
                AND cardinality(earned) = cardinality(points)
                AND cardinality(stays) = cardinality(points)
                AND cardinality(exchanges) = cardinality(points) * (cardinality(points) - 1) / 2
                AND cardinality(scoops) = cardinality(exchanges)
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
            transfers transfer[] NOT NULL CHECK (cardinality(transfers) > 0),
            PRIMARY KEY (club_id, round_id, revision),
            FOREIGN KEY (club_id, round_id, revision, number) REFERENCES hand_scores,
            CONSTRAINT payouts_every_seat_check CHECK (cardinality(stacks) = cardinality(stacks_before)),
            CONSTRAINT payouts_negative_check CHECK (
                (0 <= ALL (stacks_before)) IS TRUE AND (0 <= ALL (stacks)) IS TRUE
            ),
            CONSTRAINT payouts_conserved_check CHECK (points_sum(stacks) = points_sum(stacks_before))
        );
    """)


def _list_transfers() -> None:
    """
    Create a view that has each transfer as a row, at its position.

    `late` ones were paid by the payout after the hand, and not by the hand.
    """
    op.execute("""
        CREATE VIEW transfers WITH (security_invoker) AS
            SELECT score.club_id, score.round_id, score.revision, score.number, each.*
            FROM hand_scores AS score
            LEFT JOIN payouts AS payout
                ON (payout.club_id, payout.round_id, payout.revision, payout.number)
                    = (score.club_id, score.round_id, score.revision, score.number)
            CROSS JOIN LATERAL (
                SELECT false AS late, position::smallint, payer, payee, due, paid, limited_by, payer_stack, payee_stack
                FROM unnest(score.transfers) WITH ORDINALITY
                    AS paid (payer, payee, due, paid, limited_by, payer_stack, payee_stack, position)
                UNION ALL
                SELECT true, position::smallint, payer, payee, due, paid, limited_by, payer_stack, payee_stack
                FROM unnest(payout.transfers) WITH ORDINALITY
                    AS paid (payer, payee, due, paid, limited_by, payer_stack, payee_stack, position)
            ) AS each;
    """)
