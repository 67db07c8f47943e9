"""Records that are removed after a time: responses stored for retries, and what is left of imports."""

from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """
    Allow the service to delete stored responses and results of imports, and to find clubs with old ones.

    Nothing that `ofc-server verify` checks refers to them. All records of rounds stay append-only.
    """
    op.execute("""
        DROP TRIGGER append_only ON kept_answers;
        DROP TRIGGER append_only_truncate ON kept_answers;
        DROP TRIGGER append_only ON import_results;
        DROP TRIGGER append_only_truncate ON import_results;
        CREATE INDEX kept_answers_age ON kept_answers (club_id, kept_at);
        CREATE INDEX jobs_ended ON jobs (club_id, ended_at) WHERE ended_at IS NOT NULL;

        CREATE FUNCTION clubs_with_expired_records(answers_before timestamptz, imports_before timestamptz)
            RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.clubs', 'sought', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM kept_answers WHERE club_id = club AND kept_at < answers_before)
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
