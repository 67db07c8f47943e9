"""Events as bytes, chained in each round."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """
    Add the heading and the hash of each event, with the hash of the event before it in its round.

    The hash is of the heading followed by the content. Existing events get headings in order, because each needs the
    hash of the one before; their content is unchanged. The append-only triggers are disabled only in this transaction.
    """
    op.execute("""
        ALTER TABLE events NO FORCE ROW LEVEL SECURITY, DISABLE TRIGGER append_only, ADD COLUMN heading bytea,
            ADD COLUMN hash bytea;
        ALTER TABLE round_heads NO FORCE ROW LEVEL SECURITY,
            ADD COLUMN last_event bytea NOT NULL DEFAULT '' CHECK (octet_length(last_event) IN (0, 32));
        CREATE INDEX events_of_migration ON events (sequence);
    """)
    _write_headings()
    op.execute("""
        DROP INDEX events_of_migration;
        ALTER TABLE events
            ALTER COLUMN heading SET NOT NULL,
            ALTER COLUMN hash SET NOT NULL,
            ADD CONSTRAINT events_hash_check CHECK (hash = sha256('\\x00'::bytea || heading || content)),
            ENABLE TRIGGER append_only;

        UPDATE round_heads AS head SET last_event = event.hash FROM events AS event
            WHERE (event.club_id, event.round_id, event.sequence) = (head.club_id, head.round_id, head.version);

        CREATE TABLE waiting_events (
            club_id uuid NOT NULL,
            event_id uuid NOT NULL,
            PRIMARY KEY (club_id, event_id)
        );
        INSERT INTO waiting_events SELECT club_id, id FROM events;

        ALTER TABLE events FORCE ROW LEVEL SECURITY;
        ALTER TABLE round_heads FORCE ROW LEVEL SECURITY, ALTER COLUMN last_event DROP DEFAULT;
    """)
    one_club_at_a_time("waiting_events")


def _write_headings() -> None:
    op.execute("""
        CREATE FUNCTION prefixed(field bytea) RETURNS bytea LANGUAGE sql IMMUTABLE
            RETURN int4send(octet_length(field)) || field;

        CREATE FUNCTION heading_of(event events, previous bytea) RETURNS bytea LANGUAGE sql STABLE
            RETURN convert_to(E'tablestakes/event/1\\n', 'UTF8')
                || prefixed(convert_to(event.club_id::text, 'UTF8'))
                || prefixed(convert_to(event.id::text, 'UTF8'))
                || prefixed(convert_to(coalesce(event.round_id::text, ''), 'UTF8'))
                || prefixed(convert_to(coalesce(event.sequence::text, ''), 'UTF8'))
                || prefixed(convert_to(event.kind, 'UTF8'))
                || prefixed(convert_to(coalesce(event.actor::text, ''), 'UTF8'))
                || prefixed(convert_to(coalesce(event.request_id, ''), 'UTF8'))
                || prefixed(convert_to(to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'UTF8'))
                || prefixed(previous)
                || int4send(octet_length(event.content));

        DO $$
        BEGIN
            UPDATE events AS event SET heading = heading_of(event, ''),
                    hash = sha256('\\x00'::bytea || heading_of(event, '') || content)
                WHERE sequence IS NULL OR sequence = 1;
            FOR number IN 2 .. (SELECT coalesce(max(sequence), 0) FROM events) LOOP
                UPDATE events AS event
                    SET heading = heading_of(event, before.hash),
                        hash = sha256('\\x00'::bytea || heading_of(event, before.hash) || event.content)
                    FROM events AS before
                    WHERE event.sequence = number AND before.sequence = number - 1
                        AND (before.club_id, before.round_id) = (event.club_id, event.round_id);
            END LOOP;
        END $$;

        DROP FUNCTION heading_of;
        DROP FUNCTION prefixed;
    """)
