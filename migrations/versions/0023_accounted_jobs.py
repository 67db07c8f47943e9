"""Jobs that succeed only where every line or round is accounted for."""

from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """
    Compare what a job received with what its chunks accounted for, before it can be `succeeded`.

    `received` is written when the file is received (an import, in lines) or when the scope is counted (a recomputation,
    in rounds), never from the plan. A job that is under way during this migration has none: it ends as `failed`, and
    can be started again.
    """
    op.execute("""
        ALTER TABLE jobs
            ADD COLUMN received bigint CHECK (received >= 0),
            ADD COLUMN failure text,
            ADD CONSTRAINT jobs_failure_check CHECK (failure IS NULL OR state = 'failed');
        ALTER TABLE job_chunks ADD COLUMN accounted bigint CHECK (accounted >= 0);

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
