"""Jobs with their chunks, imports, recomputations, and workers."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "008"
down_revision = "007"


def upgrade() -> None:
    _jobs()
    _chunks()
    _accounting()
    _imports()
    _recomputations()
    one_club_at_a_time("jobs", "job_chunks", "import_pieces", "import_results", "differences", "audited_rounds")
    append_only("differences", "audited_rounds")
    _unfinished_jobs()
    _workers()


def _jobs() -> None:
    """
    Create the jobs.

    `received` is counted when the file is received (an import, in lines) or when the scope is counted (a
    recomputation, in rounds), never from the plan.
    """
    op.execute("""
        CREATE TABLE jobs (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            kind text NOT NULL CHECK (kind <> ''),
            parameters jsonb NOT NULL,
            state text NOT NULL CHECK (state IN
                ('receiving', 'queued', 'running', 'paused', 'cancelling', 'cancelled', 'succeeded', 'failed')),
            failure text,
            -- Known once the job is planned, or before.
            total bigint CHECK (total >= 0),
            received bigint CHECK (received >= 0),
            actor uuid,
            request_id text,
            created_at timestamptz NOT NULL,
            started_at timestamptz,
            planned_at timestamptz,
            ended_at timestamptz,
            PRIMARY KEY (club_id, id),
            CONSTRAINT jobs_ended_check
                CHECK ((ended_at IS NOT NULL) = (state IN ('cancelled', 'succeeded', 'failed'))),
            CONSTRAINT jobs_failure_check CHECK (failure IS NULL OR state = 'failed')
        );
        -- They can have the reason of a recomputation, which can be erased.
        ALTER TABLE jobs ALTER COLUMN parameters SET STATISTICS 0;
        CREATE INDEX jobs_kind ON jobs (club_id, kind, id);
        CREATE INDEX jobs_unfinished ON jobs (created_at) WHERE ended_at IS NULL;
        CREATE INDEX jobs_ended ON jobs (club_id, ended_at) WHERE ended_at IS NOT NULL;
    """)


def _chunks() -> None:
    """
    Create the chunks: parts of a job that are processed in one transaction each, which locks the chunk.

    Attempts are counted before they begin, so one that is neither a failure nor an interruption has lost its worker.
    Failures are errors of the chunk itself; an interruption is an error that its content cannot cause.
    """
    op.execute("""
        CREATE TABLE job_chunks (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number integer NOT NULL CHECK (number >= 1),
            size bigint NOT NULL CHECK (size >= 0),
            part jsonb NOT NULL,
            state text NOT NULL DEFAULT 'open' CONSTRAINT job_chunks_state_check
                CHECK (state IN ('open', 'done', 'dead_lettered', 'cancelled', 'split')),
            attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
            interruptions integer NOT NULL DEFAULT 0 CHECK (interruptions >= 0),
            -- The messages about it that were sent since its last attempt, and when the next one is due.
            messages integer NOT NULL DEFAULT 0 CHECK (messages >= 0),
            -- By the clock of the database: those of web processes and workers can be wrong.
            send_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            result jsonb,
            -- The lines or rounds that the chunk stored, replayed or refused.
            accounted bigint CHECK (accounted >= 0),
            error text,
            ended_at timestamptz,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs,
            CONSTRAINT job_chunks_result_check CHECK ((result IS NOT NULL) = (state = 'done')),
            CONSTRAINT job_chunks_ended_check CHECK ((ended_at IS NULL) = (state = 'open'))
        );
        CREATE INDEX job_chunks_open ON job_chunks (club_id, job_id, number) WHERE state = 'open';
    """)


def _accounting() -> None:
    """Create the trigger that lets a job succeed only if its chunks account for everything that it received."""
    op.execute("""
        CREATE FUNCTION job_accounted(club uuid, job uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
            SELECT coalesce(sum(chunk.accounted), 0)::bigint FROM job_chunks AS chunk
                WHERE (chunk.club_id, chunk.job_id) = (club, job) AND chunk.state = 'done'
        $$;

        CREATE FUNCTION check_job_accounted() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            accounted bigint := job_accounted(NEW.club_id, NEW.id);
        BEGIN
            IF NEW.received IS DISTINCT FROM accounted THEN
                RAISE EXCEPTION 'job % received % and accounted for %', NEW.id, NEW.received, accounted
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER job_accounted BEFORE INSERT OR UPDATE ON jobs
            FOR EACH ROW WHEN (NEW.state = 'succeeded') EXECUTE FUNCTION check_job_accounted();
    """)


def _imports() -> None:
    """Create the pieces of a received file, stored until they are processed, and the results of its lines."""
    op.execute("""
        CREATE TABLE import_pieces (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number integer NOT NULL CHECK (number >= 1),
            first_line bigint NOT NULL CHECK (first_line >= 1),
            -- Blank lines are not counted.
            lines integer NOT NULL CHECK (lines >= 1),
            content bytea NOT NULL,
            received_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
        -- Not compressed, because it is read once.
        ALTER TABLE import_pieces ALTER COLUMN content SET STORAGE EXTERNAL;

        CREATE TABLE import_results (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            first_line bigint NOT NULL CONSTRAINT import_results_number_check CHECK (first_line >= 1),
            -- One JSON document a line.
            content bytea NOT NULL,
            PRIMARY KEY (club_id, job_id, first_line),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
    """)


def _recomputations() -> None:
    """
    Create the findings of recomputations: differences between stored and expected results.

    Numbers increase with the chunks of the job and within each chunk, so that the list has one order.

    The rounds in which an audit found a difference can be applied later: each as it was audited, or not at all.
    """
    op.execute("""
        CREATE TABLE differences (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number bigint NOT NULL CHECK (number >= 0),
            round_id uuid,
            hand integer CHECK (hand >= 1),
            kind text NOT NULL CHECK (kind <> ''),
            column_name text CHECK (column_name <> ''),
            stored jsonb,
            expected jsonb,
            detail text,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );

        CREATE TABLE audited_rounds (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            -- No reference and no check: the records of a round with a difference can be damaged.
            round_id uuid NOT NULL,
            revision integer NOT NULL,
            -- The hash of the computed results.
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            PRIMARY KEY (club_id, job_id, round_id),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
    """)


def _unfinished_jobs() -> None:
    """
    Create the function that lists the unfinished jobs of all clubs, and nothing else of them.

    It has no special rights: it sets a variable for one query, which a policy reads.
    """
    op.execute("""
        CREATE POLICY unfinished ON jobs FOR SELECT
            USING (ended_at IS NULL AND current_setting('ofc.list_unfinished_jobs', true) = 'on');

        CREATE FUNCTION list_unfinished_jobs()
            RETURNS TABLE (club_id uuid, id uuid, kind text, state text, created_at timestamptz) LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('ofc.list_unfinished_jobs', 'on', true);
            RETURN QUERY SELECT job.club_id, job.id, job.kind, job.state, job.created_at
                FROM jobs AS job WHERE job.ended_at IS NULL ORDER BY job.created_at, job.id;
            PERFORM set_config('ofc.list_unfinished_jobs', '', true);
        END $$;
    """)


def _workers() -> None:
    """
    Create the moments at which workers started and periodic tasks ran, and the message queue in the database.

    The two tables of the queue are as kombu would create them.
    """
    op.execute("""
        CREATE TABLE shared.moments (
            name text PRIMARY KEY CHECK (name <> ''),
            at timestamptz NOT NULL
        );

        CREATE SEQUENCE shared.queue_id_sequence;
        CREATE SEQUENCE shared.message_id_sequence;
        CREATE TABLE shared.kombu_queue (
            id integer PRIMARY KEY,
            name varchar(200) UNIQUE
        );
        CREATE TABLE shared.kombu_message (
            id integer PRIMARY KEY,
            visible boolean,
            "timestamp" timestamp,
            payload text NOT NULL,
            version smallint NOT NULL,
            queue_id integer CONSTRAINT "FK_kombu_message_queue" REFERENCES shared.kombu_queue
        );
        CREATE INDEX kombu_message_waiting ON shared.kombu_message (queue_id, "timestamp", id) WHERE visible;
    """)
