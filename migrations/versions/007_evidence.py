"""Events, the Merkle tree and the round map of each club, and checkpoints."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "007"
down_revision = "006"


def upgrade() -> None:
    _events()
    _trees()
    _round_maps()
    _checkpoints()
    one_club_at_a_time("events", "waiting_events", "tree_nodes", "tree_heads", "round_map_tiles", "checkpoints")
    append_only("events", "tree_nodes", "checkpoints")
    _feed()


def _events() -> None:
    """
    Create the events: one for each change, with its actor, its time and its content as bytes.

    Events of a round are numbered by the version of the round after them, so none can be left out or inserted later.
    The heading has the hash of the event before it in the round, and the hash covers heading and content. The actor is
    no foreign key, because all requests of a key would then lock the row of the key. A worker adds waiting events to
    the tree.
    """
    op.execute("""
        CREATE TABLE events (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            round_id uuid,
            sequence integer CHECK (sequence >= 1),
            kind text NOT NULL,
            actor uuid,
            request_id text,
            at timestamptz NOT NULL,
            heading bytea NOT NULL,
            content bytea NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT events_sequence_key UNIQUE (club_id, round_id, sequence),
            FOREIGN KEY (club_id, round_id) REFERENCES rounds,
            CONSTRAINT events_numbered_in_round_check CHECK ((round_id IS NULL) = (sequence IS NULL)),
            CONSTRAINT events_hash_check CHECK (hash = sha256('\\x00'::bytea || heading || content))
        );
        -- For the evidence of a round, which contains the events of its table and its ruleset.
        CREATE INDEX events_of_tables_and_rulesets ON events (club_id, kind)
            WHERE kind IN ('table.created', 'table.changed', 'ruleset.added');
        -- The ID of a join is larger than those of the joins before it.
        CREATE INDEX events_of_aliases ON events (club_id, id) WHERE kind IN ('player.joined', 'player.parted');
        -- For verification, which looks up what was erased.
        CREATE INDEX events_of_erasures ON events (club_id, kind) WHERE kind IN ('player.erased', 'texts.erased');

        CREATE TABLE waiting_events (
            club_id uuid NOT NULL,
            event_id uuid NOT NULL,
            PRIMARY KEY (club_id, event_id)
        );
    """)


def _trees() -> None:
    """
    Create the nodes and the heads of trees.

    All nodes are stored, so that a proof reads a few dozen rows. A leaf refers to its event. The head of a tree, one
    row for each club, is locked before the tree grows; it has the sizes of the tree, of the newest checkpoint, of the
    newest one that may be served, and of the part in the round map. A checkpoint may be served when the standbys have
    it: one that is served and then lost would let the tree fork.
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
            mapped_size bigint NOT NULL CHECK (mapped_size >= 0),
            signed_size bigint NOT NULL CHECK (signed_size >= 0),
            signed_at timestamptz,
            served_size bigint NOT NULL CHECK (served_size >= 0),
            CONSTRAINT tree_heads_mapped_check CHECK (mapped_size <= size),
            CONSTRAINT tree_heads_signed_check CHECK (signed_size <= size),
            CONSTRAINT tree_heads_served_check CHECK (served_size <= signed_size)
        );
    """)


def _round_maps() -> None:
    """
    Create the map from each round of a club to its newest event, in tiles of four levels.

    A tile is updated in place. It also has its content at the newest checkpoint that may be served, for evidence as of
    that checkpoint.
    """
    op.execute("""
        CREATE TABLE round_map_tiles (
            club_id uuid NOT NULL,
            prefix text COLLATE "C" NOT NULL CHECK (prefix ~ '^[0-9a-f]{0,63}$'),
            tile bytea NOT NULL,
            -- The size of the tree when the tile changed.
            since bigint NOT NULL CHECK (since > 0),
            signed_tile bytea,
            PRIMARY KEY (club_id, prefix)
        ) WITH (fillfactor = 70);
    """)


def _checkpoints() -> None:
    """
    Create the checkpoints, which are signed sizes and roots of trees, and the public keys that signed them.

    Anyone who knows the id of a checkpoint can read it without a key; ids cannot be guessed. Public keys belong to no
    club.
    """
    op.execute("""
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

        CREATE TABLE shared.signing_keys (
            public_key bytea PRIMARY KEY CHECK (octet_length(public_key) = 32),
            name text NOT NULL,
            first_used_at timestamptz NOT NULL
        );
        CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON shared.signing_keys
            FOR EACH ROW EXECUTE FUNCTION refuse_change();
    """)


def _feed() -> None:
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
