"""Jobs, their chunks, and the input and results of imports."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    _jobs()
    _imports()
    one_club_at_a_time("jobs", "job_chunks", "wake_ups", "import_pieces", "import_results")
    append_only("import_results")
    _found_by_workers()
    _machinery()


def _jobs() -> None:
    """
    Create jobs, chunks and the outbox; a message to a worker contains only the ID of a job.

    A chunk is open until it is done, set aside or dropped. A claim is a lease: `claimable_from` is in the future while
    it is renewed, and every claim increments `attempt`, so a worker that lost its lease cannot end the chunk.
    """
    op.execute("""
        CREATE TABLE jobs (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            kind text NOT NULL CHECK (kind <> ''),
            asked jsonb NOT NULL,
            state text NOT NULL CHECK (state IN
                ('receiving', 'queued', 'running', 'paused', 'cancelling', 'cancelled', 'succeeded', 'failed')),
            -- Known once it is planned, or before.
            total bigint CHECK (total >= 0),
            actor uuid,
            request_id text,
            created_at timestamptz NOT NULL,
            started_at timestamptz,
            planned_at timestamptz,
            ended_at timestamptz,
            PRIMARY KEY (club_id, id),
            CONSTRAINT jobs_ended_check CHECK ((ended_at IS NOT NULL) = (state IN ('cancelled', 'succeeded', 'failed')))
        );
        CREATE INDEX jobs_under_way ON jobs (created_at) WHERE ended_at IS NULL;

        CREATE TABLE job_chunks (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number integer NOT NULL CHECK (number >= 1),
            size bigint NOT NULL CHECK (size >= 0),
            part jsonb NOT NULL,
            state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'set_aside', 'dropped')),
            attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
            claimable_from timestamptz NOT NULL,
            worker text,
            result jsonb,
            error text,
            ended_at timestamptz,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs,
            CONSTRAINT job_chunks_result_check CHECK ((result IS NOT NULL) = (state = 'done')),
            CONSTRAINT job_chunks_ended_check CHECK ((ended_at IS NULL) = (state = 'open'))
        );
        CREATE INDEX job_chunks_open ON job_chunks (club_id, job_id, number) WHERE state = 'open';

        -- The outbox: a row for every message that is to be sent, and until somebody has heard it.
        CREATE TABLE wake_ups (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            job_id uuid NOT NULL,
            send_from timestamptz NOT NULL,
            sends integer NOT NULL DEFAULT 0 CHECK (sends >= 0),
            PRIMARY KEY (club_id, id),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
        CREATE INDEX wake_ups_of_a_job ON wake_ups (club_id, job_id);
    """)


def _imports() -> None:
    """Create the pieces of a received file, stored until they are processed, and the results of its lines."""
    op.execute("""
        CREATE TABLE import_pieces (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number integer NOT NULL CHECK (number >= 1),
            first_line bigint NOT NULL CHECK (first_line >= 1),
            -- Without those that are blank.
            lines integer NOT NULL CHECK (lines >= 1),
            content bytea NOT NULL,
            received_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
        -- Compressed here as it comes would be compressed for nothing: it is read once.
        ALTER TABLE import_pieces ALTER COLUMN content SET STORAGE EXTERNAL;

        CREATE TABLE import_results (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number integer NOT NULL CHECK (number >= 1),
            -- One JSON document a line.
            content bytea NOT NULL,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
    """)


def _found_by_workers() -> None:
    """
    Create the function that lists the unfinished jobs of all clubs, and nothing else of them.

    The function has no special rights: it sets a variable for one query, which a policy reads.
    """
    op.execute("""
        CREATE POLICY under_way ON jobs FOR SELECT
            USING (ended_at IS NULL AND current_setting('ofc.jobs_under_way', true) = 'sought');

        CREATE FUNCTION jobs_under_way()
            RETURNS TABLE (club_id uuid, id uuid, kind text, state text, created_at timestamptz) LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('ofc.jobs_under_way', 'sought', true);
            RETURN QUERY SELECT job.club_id, job.id, job.kind, job.state, job.created_at
                FROM jobs AS job WHERE job.ended_at IS NULL ORDER BY job.created_at, job.id;
            PERFORM set_config('ofc.jobs_under_way', '', true);
        END $$;
    """)


def _machinery() -> None:
    """
    Create the schema of objects that belong to no club: active workers, and the message queue in the database.

    The two tables of the queue are as kombu would create them.
    """
    op.execute("""
        CREATE SCHEMA machinery;

        CREATE TABLE machinery.workers (
            id uuid PRIMARY KEY,
            host text NOT NULL,
            process integer NOT NULL,
            concurrency integer NOT NULL CHECK (concurrency >= 1),
            started_at timestamptz NOT NULL,
            seen_at timestamptz NOT NULL
        );

        CREATE SEQUENCE machinery.queue_id_sequence;
        CREATE SEQUENCE machinery.message_id_sequence;
        CREATE TABLE machinery.kombu_queue (
            id integer PRIMARY KEY,
            name varchar(200) UNIQUE
        );
        CREATE TABLE machinery.kombu_message (
            id integer PRIMARY KEY,
            visible boolean,
            "timestamp" timestamp,
            payload text NOT NULL,
            version smallint NOT NULL,
            queue_id integer CONSTRAINT "FK_kombu_message_queue" REFERENCES machinery.kombu_queue
        );
        CREATE INDEX kombu_message_waiting ON machinery.kombu_message (queue_id, "timestamp", id) WHERE visible;
    """)
