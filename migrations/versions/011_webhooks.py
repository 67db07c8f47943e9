"""Webhooks: endpoints, and the outbox of their messages."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "011"
down_revision = "010"


def upgrade() -> None:
    """
    Create webhook endpoints, and an outbox that triggers fill in the transaction of the change.

    The triggers read the records of the change and nothing of the service, so every way to make a change sends the same
    messages. In a club without endpoints they end after one look at an index.
    """
    _endpoints()
    _deliveries()
    one_club_at_a_time("webhooks", "webhook_deliveries")
    _outbox()
    _from_events()
    _from_round_heads()
    _from_jobs()
    _found_by_workers()


def _endpoints() -> None:
    op.execute("""
        CREATE TABLE webhooks (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            url text NOT NULL,
            kinds text[] NOT NULL CHECK (cardinality(kinds) >= 1),
            description text,
            state text NOT NULL CHECK (state IN ('active', 'disabled')),
            disabled_because text CHECK (disabled_because IN ('request', 'failing', 'gone')),
            failing_since timestamptz,
            last_failure_at timestamptz,
            secret bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
            previous_secret bytea,
            previous_until timestamptz,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT webhooks_disabled_check CHECK ((state = 'disabled') = (disabled_because IS NOT NULL)),
            CONSTRAINT webhooks_previous_check CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
        );
    """)


def _deliveries() -> None:
    """
    Create the outbox: one row for each message to each endpoint.

    Messages of a round are ordered by the version of the round (`sequence`), and those of one version by `rank`.
    """
    op.execute("""
        CREATE TABLE webhook_deliveries (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            webhook_id uuid NOT NULL,
            kind text NOT NULL,
            data jsonb NOT NULL,
            round_id uuid,
            sequence integer,
            rank smallint NOT NULL,
            is_redelivery boolean NOT NULL,
            -- Whether an attempt is in progress, at most until the next one is due.
            is_sending boolean NOT NULL DEFAULT false,
            state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'dead_lettered')),
            attempts integer NOT NULL CHECK (attempts >= 0),
            next_attempt_at timestamptz NOT NULL,
            first_attempt_at timestamptz,
            last_status smallint,
            last_error text,
            created_at timestamptz NOT NULL,
            ended_at timestamptz,
            PRIMARY KEY (club_id, id),
            FOREIGN KEY (club_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE,
            CONSTRAINT webhook_deliveries_order_check CHECK ((round_id IS NULL) = (sequence IS NULL)),
            CONSTRAINT webhook_deliveries_ended_check CHECK ((state = 'waiting') = (ended_at IS NULL))
        );
        CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (club_id, webhook_id, id);
        CREATE INDEX webhook_deliveries_due ON webhook_deliveries (club_id, next_attempt_at) WHERE state = 'waiting';
        CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (club_id, webhook_id, round_id, sequence, rank)
            WHERE state = 'waiting';
        CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (club_id, ended_at) WHERE ended_at IS NOT NULL;
    """)


def _outbox() -> None:
    """
    Create the function that inserts a message for every active endpoint of the club that chose its kind.

    The IDs are UUIDs of version 7, in order of their time.
    """
    op.execute("""
        CREATE FUNCTION new_delivery_id() RETURNS uuid LANGUAGE sql VOLATILE
            RETURN encode(set_byte(
                substring(int8send(CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)) FROM 3)
                    || substring(uuid_send(gen_random_uuid()) FROM 7),
                6, 112 + get_byte(uuid_send(gen_random_uuid()), 0) % 16), 'hex')::uuid;

        CREATE FUNCTION send_to_webhooks(
            message_kind text, message jsonb, about_round uuid, round_version integer, message_rank integer
        ) RETURNS void LANGUAGE sql AS $$
            INSERT INTO webhook_deliveries (club_id, id, webhook_id, kind, data, round_id, sequence, rank,
                is_redelivery, state, attempts, next_attempt_at, created_at)
            SELECT club_id, new_delivery_id(), id, message_kind, message, about_round, round_version, message_rank,
                false, 'waiting', 0, now(), now()
            FROM webhooks
            WHERE club_id = current_club() AND state = 'active' AND message_kind = ANY (kinds)
        $$;

        CREATE FUNCTION has_webhooks() RETURNS boolean LANGUAGE sql STABLE
            RETURN EXISTS (SELECT FROM webhooks WHERE club_id = current_club() AND state = 'active');
    """)


def _from_events() -> None:
    """
    Send what happened in a round.

    Events of the transaction that imported the round are not sent: the import sends one message when it ends.
    """
    op.execute("""
        CREATE FUNCTION send_events() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT has_webhooks() THEN
                RETURN NULL;
            END IF;
            PERFORM send_to_webhooks(
                event.kind,
                jsonb_build_object('round_id', round.id, 'table_id', round.table_id, 'reference', round.reference)
                || CASE event.kind
                    WHEN 'hand.recorded' THEN jsonb_build_object('hand_id', payload -> 'id',
                        'number', payload #> '{hand,number}')
                    WHEN 'hand.withdrawn' THEN jsonb_build_object('hand_id', payload -> 'hand',
                        'number', payload -> 'number', 'revision', payload -> 'revision')
                    WHEN 'dispute.opened' THEN jsonb_build_object('dispute_id', payload -> 'dispute',
                        'revision', payload -> 'revision', 'number', payload -> 'hand')
                    WHEN 'dispute.resolved' THEN jsonb_build_object('dispute_id', payload -> 'dispute',
                        'state', payload -> 'kind', 'correction', payload -> 'correction')
                    ELSE jsonb_build_object('dispute_id', payload -> 'dispute')
                END,
                event.round_id, event.sequence, 1)
            FROM inserted AS event
            JOIN rounds AS round ON (round.club_id, round.id) = (event.club_id, event.round_id)
            CROSS JOIN LATERAL CAST(convert_from(event.content, 'UTF8') AS jsonb) AS payload
            WHERE event.kind IN ('hand.recorded', 'hand.withdrawn', 'dispute.opened', 'dispute.resolved',
                    'dispute.withdrawn')
                AND NOT (round.imported AND event.at = round.recorded_at);
            RETURN NULL;
        END $$;

        CREATE TRIGGER send_to_webhooks AFTER INSERT ON events
            REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION send_events();
    """)


def _from_round_heads() -> None:
    """
    Send that a round ended, that an ended round has another revision, and that a settlement became final.

    A settlement that is final again after a dispute has no new final revision, so it is not sent again. A document
    inserts the head of a round that has ended. Imports do too, and send nothing here.
    """
    op.execute("""
        CREATE FUNCTION send_round() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            message jsonb;
        BEGIN
            IF NOT has_webhooks() THEN
                RETURN NULL;
            END IF;
            SELECT jsonb_build_object('round_id', id, 'table_id', table_id, 'reference', reference,
                    'revision', NEW.revision, 'status', NEW.status, 'state', NEW.settlement_state)
                INTO message FROM rounds WHERE club_id = NEW.club_id AND id = NEW.round_id;
            IF NEW.revision > OLD.revision AND NOT (OLD.status = 'open' AND NEW.status = 'open') THEN
                PERFORM send_to_webhooks('round.corrected', message, NEW.round_id, NEW.version, 2);
            END IF;
            IF OLD.status = 'open' AND NEW.status <> 'open' THEN
                PERFORM send_to_webhooks('round.completed', message, NEW.round_id, NEW.version, 3);
            END IF;
            IF NEW.final_revision IS DISTINCT FROM OLD.final_revision THEN
                PERFORM send_to_webhooks('settlement.finalized', message, NEW.round_id, NEW.version, 4);
            END IF;
            RETURN NULL;
        END $$;

        CREATE TRIGGER send_to_webhooks AFTER UPDATE ON round_heads FOR EACH ROW
            WHEN (OLD.revision <> NEW.revision OR OLD.settlement_state <> NEW.settlement_state)
            EXECUTE FUNCTION send_round();

        CREATE FUNCTION send_new_round() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            message jsonb;
        BEGIN
            IF NOT has_webhooks() THEN
                RETURN NULL;
            END IF;
            SELECT jsonb_build_object('round_id', id, 'table_id', table_id, 'reference', reference,
                    'revision', NEW.revision, 'status', NEW.status, 'state', NEW.settlement_state)
                INTO message FROM rounds WHERE club_id = NEW.club_id AND id = NEW.round_id AND NOT imported;
            IF message IS NOT NULL THEN
                PERFORM send_to_webhooks('round.completed', message, NEW.round_id, NEW.version, 3);
            END IF;
            RETURN NULL;
        END $$;

        CREATE TRIGGER send_new_to_webhooks AFTER INSERT ON round_heads FOR EACH ROW
            WHEN (NEW.status <> 'open') EXECUTE FUNCTION send_new_round();
    """)


def _from_jobs() -> None:
    """Send that an import ended."""
    op.execute("""
        CREATE FUNCTION send_job() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF has_webhooks() THEN
                PERFORM send_to_webhooks('import.ended',
                    jsonb_build_object('import_id', NEW.id, 'state', NEW.state, 'lines', NEW.received), NULL, NULL, 1);
            END IF;
            RETURN NULL;
        END $$;

        CREATE TRIGGER send_to_webhooks AFTER UPDATE ON jobs FOR EACH ROW
            WHEN (NEW.kind = 'import' AND OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
            EXECUTE FUNCTION send_job();
    """)


def _found_by_workers() -> None:
    """Create the functions that list clubs with messages to send, and with old messages to remove."""
    op.execute("""
        CREATE FUNCTION clubs_with_webhooks(moment timestamptz, ended_before timestamptz)
            RETURNS TABLE (club_id uuid, is_due boolean, is_expired boolean, sending integer) LANGUAGE plpgsql AS $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                is_due := EXISTS (SELECT FROM webhook_deliveries AS delivery
                    JOIN webhooks AS webhook
                        ON (webhook.club_id, webhook.id) = (delivery.club_id, delivery.webhook_id)
                    WHERE delivery.club_id = club AND delivery.state = 'waiting'
                        AND delivery.next_attempt_at <= moment AND webhook.state = 'active');
                is_expired := EXISTS (SELECT FROM webhook_deliveries AS delivery
                    WHERE delivery.club_id = club AND delivery.ended_at < ended_before);
                SELECT count(*) INTO sending FROM webhook_deliveries AS delivery
                    WHERE delivery.club_id = club AND delivery.state = 'waiting'
                        AND delivery.is_sending AND delivery.next_attempt_at > moment;
                IF is_due OR is_expired OR sending > 0 THEN
                    club_id := club;
                    RETURN NEXT;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
