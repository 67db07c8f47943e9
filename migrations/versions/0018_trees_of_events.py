"""The Merkle tree of each club's events, and checkpoints."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """
    Create the nodes of trees, so that a proof reads a few dozen rows.

    A leaf refers to its event. The size of a tree and its signed size are in one row for each club, which is locked
    before the tree grows. The IDs of checkpoints cannot be guessed; public keys belong to no club.
    """
    op.execute("""
        CREATE TABLE tree_nodes (
            club_id uuid NOT NULL,
            level smallint NOT NULL CHECK (level BETWEEN 0 AND 62),
            position bigint NOT NULL CHECK (position >= 0),
            hash bytea NOT NULL CHECK (octet_length(hash) = 32),
            event_id uuid,
            PRIMARY KEY (club_id, level, position),
            FOREIGN KEY (club_id, event_id) REFERENCES events,
            CONSTRAINT tree_nodes_leaf_check CHECK ((level = 0) = (event_id IS NOT NULL))
        );
        CREATE UNIQUE INDEX tree_nodes_event_key ON tree_nodes (club_id, event_id) WHERE event_id IS NOT NULL;

        CREATE TABLE tree_heads (
            club_id uuid PRIMARY KEY,
            size bigint NOT NULL CHECK (size >= 0),
            signed_size bigint NOT NULL CHECK (signed_size >= 0),
            signed_at timestamptz,
            CONSTRAINT tree_heads_signed_check CHECK (signed_size <= size)
        );

        CREATE TABLE checkpoints (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            size bigint NOT NULL CHECK (size > 0),
            root bytea NOT NULL CHECK (octet_length(root) = 32),
            note text NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT checkpoints_size_key UNIQUE (club_id, size),
            CONSTRAINT checkpoints_id_key UNIQUE (id)
        );
        CREATE POLICY address ON checkpoints FOR SELECT
            USING (id::text = current_setting('ofc.checkpoint', true));

        CREATE TABLE machinery.signing_keys (
            public_key bytea PRIMARY KEY CHECK (octet_length(public_key) = 32),
            name text NOT NULL,
            first_used_at timestamptz NOT NULL
        );
        CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON machinery.signing_keys
            FOR EACH ROW EXECUTE FUNCTION refuse_change();
    """)
    one_club_at_a_time("tree_nodes", "tree_heads", "checkpoints")
    append_only("tree_nodes", "checkpoints")
    _found_by_sweepers()


def _found_by_sweepers() -> None:
    """Create the function that lists the clubs with waiting events, or with a tree to sign."""
    op.execute("""
        CREATE FUNCTION clubs_with_trees_due(moment timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.clubs', 'sought', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM waiting_events WHERE club_id = club) OR EXISTS (
                    SELECT FROM tree_heads WHERE club_id = club AND size > signed_size
                        AND (signed_at IS NULL OR signed_at <= moment)
                ) THEN
                    RETURN NEXT club;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
