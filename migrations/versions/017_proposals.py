"""Proposals: changes of final settlements that take effect when another key confirms them."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "017"
down_revision = "016"


def upgrade() -> None:
    _proposals()
    _proposal_ends()
    one_club_at_a_time("proposals", "proposal_ends")
    append_only("proposals", "proposal_ends")
    for table in ("proposals", "proposal_ends"):
        op.execute(f"CREATE POLICY one_table ON {table} AS RESTRICTIVE USING ((SELECT current_table()) IS NULL)")


def _proposals() -> None:
    """
    Create the proposals: the correction of a round, or that an audit is applied, as it was requested.

    A proposal has the ID of its event. The digest is that of what would change. The request is a text, which can be
    erased: a proposal without it cannot be confirmed.
    """
    op.execute("""
        CREATE TABLE proposals (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('correction', 'recomputation')),
            proposed_by uuid NOT NULL,
            proposed_at timestamptz NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            -- Of the request, keyed with the salt of its text; the same request is a replay.
            request_digest bytea NOT NULL CHECK (octet_length(request_digest) = 32),
            -- The digest of the text.
            received bytea NOT NULL CHECK (octet_length(received) = 32),
            round_id uuid,
            table_id uuid,
            revision integer,
            dispute uuid,
            upholds boolean NOT NULL,
            audit_id uuid,
            PRIMARY KEY (club_id, id),
            CONSTRAINT proposals_proposed_by_key UNIQUE (club_id, id, proposed_by),
            FOREIGN KEY (club_id, id) REFERENCES events,
            FOREIGN KEY (club_id, proposed_by) REFERENCES api_keys,
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements,
            FOREIGN KEY (club_id, round_id, dispute) REFERENCES disputes (club_id, round_id, id),
            FOREIGN KEY (club_id, audit_id) REFERENCES jobs,
            CONSTRAINT proposals_fields_check CHECK (
                CASE kind
                    WHEN 'correction' THEN
                        round_id IS NOT NULL AND table_id IS NOT NULL AND revision IS NOT NULL AND audit_id IS NULL
                    ELSE round_id IS NULL AND table_id IS NULL AND revision IS NULL AND dispute IS NULL
                        AND audit_id IS NOT NULL
                END
            ),
            CONSTRAINT proposals_upholds_check CHECK (NOT upholds OR dispute IS NOT NULL)
        );
        CREATE INDEX proposals_of_round ON proposals (club_id, round_id, id) WHERE round_id IS NOT NULL;
        CREATE INDEX proposals_of_audit ON proposals (club_id, audit_id, id) WHERE audit_id IS NOT NULL;
    """)


def _proposal_ends() -> None:
    """
    Create the ends of proposals: each is confirmed or withdrawn once. A proposal without an end waits.

    Who proposes cannot confirm; the service also refuses other keys of the same people.
    """
    op.execute("""
        CREATE TABLE proposal_ends (
            club_id uuid NOT NULL,
            proposal_id uuid NOT NULL,
            proposed_by uuid NOT NULL,
            state text NOT NULL CHECK (state IN ('confirmed', 'withdrawn')),
            ended_by uuid NOT NULL,
            ended_at timestamptz NOT NULL,
            -- The digest of the text, which can be erased.
            reason bytea CHECK (octet_length(reason) = 32),
            round_id uuid,
            -- The revision that the correction made.
            revision integer,
            recomputation_id uuid,
            PRIMARY KEY (club_id, proposal_id),
            FOREIGN KEY (club_id, proposal_id, proposed_by) REFERENCES proposals (club_id, id, proposed_by),
            FOREIGN KEY (club_id, ended_by) REFERENCES api_keys,
            FOREIGN KEY (club_id, round_id, revision) REFERENCES corrections,
            FOREIGN KEY (club_id, recomputation_id) REFERENCES jobs,
            CONSTRAINT proposal_ends_second_auditor_check CHECK (state = 'withdrawn' OR ended_by <> proposed_by),
            CONSTRAINT proposal_ends_fields_check CHECK (
                CASE state
                    WHEN 'confirmed' THEN
                        reason IS NULL AND (round_id IS NULL) = (revision IS NULL)
                        AND (revision IS NULL) <> (recomputation_id IS NULL)
                    ELSE reason IS NOT NULL AND round_id IS NULL AND revision IS NULL AND recomputation_id IS NULL
                END
            )
        );
    """)
