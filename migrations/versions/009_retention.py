"""Responses stored for retries, and the functions with which the sweeper finds clubs that have work for it."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "009"
down_revision = "008"


def upgrade() -> None:
    _responses()
    _clubs_with_work()


def _responses() -> None:
    """
    Create the first responses to requests with idempotency keys, which the sweeper removes after some time.

    A response is inserted in the transaction of the work. The club is no foreign key, because all requests of a club
    would then lock one row. One with a text of a person is removed when any text is erased.
    """
    op.execute("""
        CREATE TABLE idempotent_responses (
            club_id uuid NOT NULL,
            key text NOT NULL CHECK (key <> ''),
            -- Of method, path and body: the same key with another request is an error.
            fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
            status smallint NOT NULL,
            location text,
            body bytea NOT NULL,
            -- Whether the request or the response has a text of a person.
            has_texts boolean NOT NULL,
            stored_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, key)
        );
        CREATE INDEX idempotent_responses_with_texts ON idempotent_responses (club_id) WHERE has_texts;
        CREATE INDEX idempotent_responses_stored_at ON idempotent_responses (club_id, stored_at);
    """)
    one_club_at_a_time("idempotent_responses")


def _clubs_with_work() -> None:
    """
    Create the functions that list clubs with due settlements, trees to extend or sign, and expired records.

    They have no special rights: a policy shows the ids of all clubs while a variable is set, and each club is then
    searched as its own transactions do.
    """
    op.execute("""
        CREATE FUNCTION clubs_with_settlements_due(moment timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            all_clubs uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO all_clubs FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(all_clubs, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM round_heads WHERE club_id = club AND provisional_until <= moment) THEN
                    RETURN NEXT club;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;

        CREATE FUNCTION clubs_with_trees_due(moment timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            all_clubs uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO all_clubs FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(all_clubs, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM waiting_events WHERE club_id = club) OR EXISTS (
                    SELECT FROM tree_heads WHERE club_id = club AND (signed_size > served_size
                        OR size > signed_size AND (signed_at IS NULL OR signed_at <= moment))
                ) THEN
                    RETURN NEXT club;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;

        CREATE FUNCTION clubs_with_expired_records(responses_before timestamptz, imports_before timestamptz)
            RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            all_clubs uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO all_clubs FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(all_clubs, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM idempotent_responses WHERE club_id = club AND stored_at < responses_before)
                    OR EXISTS (
                        SELECT FROM jobs AS job WHERE job.club_id = club AND job.ended_at < imports_before AND (
                            EXISTS (SELECT FROM import_results WHERE (club_id, job_id) = (club, job.id))
                            OR EXISTS (SELECT FROM import_pieces WHERE (club_id, job_id) = (club, job.id))
                        )
                    )
                THEN
                    RETURN NEXT club;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
