"""Disputes of settlements, with their entries and states."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    _disputes()
    _entries()
    _heads()
    one_club_at_a_time("disputes", "dispute_entries", "dispute_heads")
    append_only("disputes", "dispute_entries")


def _disputes() -> None:
    """
    Create the disputes, with the settlements that are disputed.

    A correction can name a dispute of its own round only, except corrections from before this migration.
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
            claim text NOT NULL CHECK (claim <> ''),
            said_by text NOT NULL CHECK (said_by <> ''),
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            opened_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT disputes_round_id_key UNIQUE (club_id, round_id, id),
            CONSTRAINT disputes_digest_key UNIQUE (club_id, round_id, digest),
            CONSTRAINT disputes_row_of_a_hand_check CHECK (board_row IS NULL OR hand IS NOT NULL),
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements,
            FOREIGN KEY (club_id, round_id, revision, seat) REFERENCES round_seats,
            FOREIGN KEY (club_id, round_id, revision, hand) REFERENCES hand_scores
        );
        -- The worklist of a table: its oldest first.
        CREATE INDEX disputes_of_table ON disputes (club_id, table_id, id);

        ALTER TABLE corrections
            ADD CONSTRAINT corrections_dispute_key UNIQUE (club_id, round_id, revision, dispute),
            ADD CONSTRAINT corrections_dispute_fkey FOREIGN KEY (club_id, round_id, dispute)
                REFERENCES disputes (club_id, round_id, id) NOT VALID;
    """)


def _entries() -> None:
    """
    Create the entries of disputes: comments and changes of state, one for each version.

    A dispute ends once. An upheld dispute has a correction, or a reason why there is none.
    """
    op.execute("""
        CREATE TABLE dispute_entries (
            club_id uuid NOT NULL,
            dispute_id uuid NOT NULL,
            version integer NOT NULL CHECK (version >= 2),
            round_id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('comment', 'under_review', 'upheld', 'rejected', 'withdrawn')),
            said_by text NOT NULL CHECK (said_by <> ''),
            words text CHECK (words <> ''),
            correction integer,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            at timestamptz NOT NULL,
            PRIMARY KEY (club_id, dispute_id, version),
            FOREIGN KEY (club_id, round_id, dispute_id) REFERENCES disputes (club_id, round_id, id),
            FOREIGN KEY (club_id, round_id, correction, dispute_id)
                REFERENCES corrections (club_id, round_id, revision, dispute),
            CONSTRAINT dispute_entries_said_check CHECK (kind NOT IN ('comment', 'rejected') OR words IS NOT NULL),
            CONSTRAINT dispute_entries_upheld_check CHECK (
                CASE kind WHEN 'upheld' THEN correction IS NOT NULL OR words IS NOT NULL ELSE correction IS NULL END
            )
        );
        CREATE UNIQUE INDEX dispute_entries_one_end ON dispute_entries (club_id, dispute_id)
            WHERE kind IN ('upheld', 'rejected', 'withdrawn');
        -- The same words of the same person are one comment.
        CREATE UNIQUE INDEX dispute_entries_comment ON dispute_entries (club_id, dispute_id, digest)
            WHERE kind = 'comment';
    """)


def _heads() -> None:
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
        -- The worklist: what is open, the oldest first.
        CREATE INDEX dispute_heads_state ON dispute_heads (club_id, state, dispute_id);
    """)
