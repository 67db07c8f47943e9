"""The index of the event feed."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "012"
down_revision = "011"


def upgrade() -> None:
    """
    Create the index of the event feed: the kind and the table of the event at each position of a club's tree.

    The feed filters by it, so that a client that waits for one kind of event, or for one table, reads neither the
    history of the club nor that of the table again.
    """
    op.execute("""
        CREATE TABLE feed_entries (
            club_id uuid NOT NULL REFERENCES clubs,
            kind text NOT NULL,
            position bigint NOT NULL,
            table_id uuid,
            PRIMARY KEY (club_id, kind, position)
        );
        CREATE INDEX feed_entries_of_table ON feed_entries (club_id, table_id, position) WHERE table_id IS NOT NULL;
    """)
    one_club_at_a_time("feed_entries")
    append_only("feed_entries")
    _index_events()


def _index_events() -> None:
    """Add the events that are in their trees already, club by club, because each club sees only its own records."""
    op.execute("""
        DO $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                INSERT INTO feed_entries (club_id, kind, position, table_id)
                SELECT node.club_id, event.kind, node.position, coalesce(round.table_id, CASE event.kind
                    WHEN 'table.created' THEN CAST(convert_from(event.content, 'UTF8')::jsonb ->> 'id' AS uuid) END)
                FROM tree_nodes AS node
                JOIN events AS event ON (event.club_id, event.id) = (node.club_id, node.event_id)
                LEFT JOIN rounds AS round ON (round.club_id, round.id) = (event.club_id, event.round_id)
                WHERE node.club_id = club AND node.level = 0;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
