"""What waits in all clubs, for metrics and `ofc-server doctor`."""

from alembic import op

revision = "022"
down_revision = "021"


def upgrade() -> None:
    """
    Create the function that counts what waits in all clubs together: numbers and ages, nothing of any club.

    It has no special rights: like `clubs_with_webhooks`, it enters one club after the other, and reads indexes of what
    is unfinished. Ages are by the clock of the database.
    """
    op.execute("""
        CREATE FUNCTION count_backlog() RETURNS TABLE (
            jobs bigint, queued_seconds double precision, chunks bigint, disputes bigint,
            deliveries bigint, delivery_seconds double precision, failing_webhooks bigint,
            waiting_events bigint, unsigned_events bigint, checkpoint_seconds double precision, findings bigint
        ) LANGUAGE plpgsql AS $$
        DECLARE
            clubs_there uuid[];
            club uuid;
            part record;
            queued_since timestamptz;
            due_since timestamptz;
            signed_at timestamptz;
        BEGIN
            jobs := 0; chunks := 0; disputes := 0; deliveries := 0; failing_webhooks := 0;
            waiting_events := 0; unsigned_events := 0; findings := 0;
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                SELECT count(*) AS unfinished, min(job.created_at) FILTER (WHERE job.state = 'queued') AS since
                    INTO part FROM jobs AS job
                    WHERE job.club_id = club AND job.ended_at IS NULL AND job.state IN ('queued', 'running');
                jobs := jobs + part.unfinished;
                queued_since := least(queued_since, part.since);
                IF part.unfinished > 0 THEN
                    chunks := chunks + (SELECT count(*) FROM job_chunks AS chunk
                        JOIN jobs AS job ON (job.club_id, job.id) = (chunk.club_id, chunk.job_id)
                        WHERE chunk.club_id = club AND chunk.state = 'open' AND job.state = 'running');
                END IF;
                disputes := disputes + (SELECT count(*) FROM dispute_heads AS head
                    WHERE head.club_id = club AND head.state IN ('open', 'under_review'));
                SELECT count(*) AS failing INTO part FROM webhooks AS webhook
                    WHERE webhook.club_id = club AND webhook.state = 'active' AND webhook.failing_since IS NOT NULL;
                failing_webhooks := failing_webhooks + part.failing;
                SELECT count(*) AS waiting, min(delivery.next_attempt_at) AS since INTO part
                    FROM webhook_deliveries AS delivery
                    JOIN webhooks AS webhook
                        ON (webhook.club_id, webhook.id) = (delivery.club_id, delivery.webhook_id)
                    WHERE delivery.club_id = club AND delivery.state = 'waiting' AND webhook.state = 'active';
                deliveries := deliveries + part.waiting;
                due_since := least(due_since, part.since);
                waiting_events := waiting_events + (SELECT count(*) FROM waiting_events AS event
                    WHERE event.club_id = club);
                SELECT sum(head.size - head.signed_size) AS events, min(coalesce(head.signed_at, owner.created_at))
                    AS since INTO part FROM tree_heads AS head JOIN clubs AS owner ON owner.id = head.club_id
                    WHERE head.club_id = club AND head.size > head.signed_size;
                unsigned_events := unsigned_events + coalesce(part.events, 0);
                signed_at := least(signed_at, part.since);
                findings := findings + coalesce((SELECT verification.findings FROM verifications AS verification
                    WHERE verification.club_id = club), 0);
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
            queued_seconds := coalesce(extract(epoch FROM clock_timestamp() - queued_since), 0);
            delivery_seconds := greatest(0, coalesce(extract(epoch FROM clock_timestamp() - due_since), 0));
            checkpoint_seconds := coalesce(extract(epoch FROM clock_timestamp() - signed_at), 0);
            RETURN NEXT;
        END $$;
    """)
