"""Confirmations, adjustments, corrections and disputes of settlements."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "006"
down_revision = "005"


def upgrade() -> None:
    _confirmations()
    _adjustments()
    _disputes()
    _corrections()
    _dispute_entries()
    _dispute_heads()
    one_club_at_a_time("confirmations", "adjustments", "disputes", "corrections", "dispute_entries", "dispute_heads")
    append_only("confirmations", "adjustments", "disputes", "corrections", "dispute_entries")


def _confirmations() -> None:
    """Create the confirmations: a player agrees with a settlement. When all do, it is final."""
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

    Each payment is from one player to another, so the points add up.
    """
    op.execute("""
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


def _disputes() -> None:
    """
    Create the disputes: a claim about a settlement, or about a hand, a seat or a row in it.

    The claim is the digest of a text, which can be erased. The author is a player; or else `author_name` is the digest
    of the name of their key.
    """
    op.execute("""
        CREATE TABLE disputes (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            round_id uuid NOT NULL,
            table_id uuid NOT NULL,
            revision integer NOT NULL,
            hand integer,
            seat smallint,
            board_row text CHECK (board_row IN ('top', 'middle', 'bottom')),
            claim bytea NOT NULL CHECK (octet_length(claim) = 32),
            author text CHECK (author <> ''),
            author_name bytea CHECK (octet_length(author_name) = 32),
            opened_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT disputes_round_id_key UNIQUE (club_id, round_id, id),
            CONSTRAINT disputes_row_of_a_hand_check CHECK (board_row IS NULL OR hand IS NOT NULL),
            CONSTRAINT disputes_one_author_check CHECK ((author IS NULL) = (author_name IS NOT NULL)),
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements,
            FOREIGN KEY (club_id, round_id, revision, seat) REFERENCES round_seats,
            FOREIGN KEY (club_id, round_id, revision, hand) REFERENCES hand_scores
        );
        -- For the disputes of a table, oldest first.
        CREATE INDEX disputes_of_table ON disputes (club_id, table_id, id);
    """)


def _corrections() -> None:
    """Create the corrections: the request behind a revision, and the dispute of the same round that it resolves."""
    op.execute("""
        CREATE TABLE corrections (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL CHECK (revision > 1),
            -- Of the request, keyed with the salt of the submission; the same correction is a replay.
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            submission_id uuid NOT NULL,
            dispute uuid,
            PRIMARY KEY (club_id, round_id, revision),
            -- For entries of disputes that refer to a correction of the same dispute.
            CONSTRAINT corrections_dispute_key UNIQUE (club_id, round_id, revision, dispute),
            CONSTRAINT corrections_dispute_fkey FOREIGN KEY (club_id, round_id, dispute)
                REFERENCES disputes (club_id, round_id, id),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements,
            FOREIGN KEY (club_id, submission_id) REFERENCES submissions
        );
    """)


def _dispute_entries() -> None:
    """
    Create the entries of disputes: comments and changes of state, one for each version after the first.

    A dispute ends once. An upheld dispute has a correction, or a reason why there is none. Comment and author are as
    the claim and the author of a dispute.
    """
    op.execute("""
        CREATE TABLE dispute_entries (
            club_id uuid NOT NULL,
            dispute_id uuid NOT NULL,
            version integer NOT NULL CHECK (version >= 2),
            round_id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('comment', 'under_review', 'upheld', 'rejected', 'withdrawn')),
            author text CHECK (author <> ''),
            author_name bytea CHECK (octet_length(author_name) = 32),
            comment bytea CHECK (octet_length(comment) = 32),
            correction integer,
            recorded_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, dispute_id, version),
            FOREIGN KEY (club_id, round_id, dispute_id) REFERENCES disputes (club_id, round_id, id),
            FOREIGN KEY (club_id, round_id, correction, dispute_id)
                REFERENCES corrections (club_id, round_id, revision, dispute),
            CONSTRAINT dispute_entries_one_author_check CHECK ((author IS NULL) = (author_name IS NOT NULL)),
            CONSTRAINT dispute_entries_comment_required_check
                CHECK (kind NOT IN ('comment', 'rejected') OR comment IS NOT NULL),
            CONSTRAINT dispute_entries_upheld_check CHECK (
                CASE kind WHEN 'upheld' THEN correction IS NOT NULL OR comment IS NOT NULL ELSE correction IS NULL END
            )
        );
        CREATE UNIQUE INDEX dispute_entries_one_end ON dispute_entries (club_id, dispute_id)
            WHERE kind IN ('upheld', 'rejected', 'withdrawn');
    """)


def _dispute_heads() -> None:
    """Create the heads of disputes: their current states, which change after the head of the round was locked."""
    op.execute("""
        CREATE TABLE dispute_heads (
            club_id uuid NOT NULL,
            dispute_id uuid NOT NULL,
            state text NOT NULL CHECK (state IN ('open', 'under_review', 'upheld', 'rejected', 'withdrawn')),
            version integer NOT NULL CHECK (version >= 1),
            PRIMARY KEY (club_id, dispute_id),
            FOREIGN KEY (club_id, dispute_id) REFERENCES disputes
        );
        -- For the disputes in a state, oldest first.
        CREATE INDEX dispute_heads_state ON dispute_heads (club_id, state, dispute_id);
    """)
