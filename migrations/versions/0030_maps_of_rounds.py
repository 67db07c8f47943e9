"""A map from each round to its newest event."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """
    Create the map from each round of a club to its newest event, in tiles of four levels.

    A tile is updated in place. It also has its content at the newest checkpoint, for evidence as of that checkpoint.
    Workers add the events of existing trees.
    """
    op.execute("""
        ALTER TABLE tree_heads
            ADD COLUMN mapped_size bigint NOT NULL DEFAULT 0 CHECK (mapped_size >= 0),
            ADD CONSTRAINT tree_heads_mapped_check CHECK (mapped_size <= size);
        ALTER TABLE tree_heads ALTER COLUMN mapped_size DROP DEFAULT;

        CREATE TABLE round_map_tiles (
            club_id uuid NOT NULL,
            prefix text COLLATE "C" NOT NULL CHECK (prefix ~ '^[0-9a-f]{0,63}$'),
            tile bytea NOT NULL,
            since bigint NOT NULL CHECK (since > 0),
            signed_tile bytea,
            PRIMARY KEY (club_id, prefix)
        ) WITH (fillfactor = 70);
    """)
    one_club_at_a_time("round_map_tiles")
