"""Links to tables for one player, and whether a link has ended."""

from alembic import op

revision = "015"
down_revision = "014"


def upgrade() -> None:
    _players()
    _ended_links()


def _players() -> None:
    """Add the player of a personal link: the operator's ID, as in rounds."""
    op.execute("""
        ALTER TABLE table_links
            ADD COLUMN player text,
            DROP CONSTRAINT table_links_kind_check,
            ADD CONSTRAINT table_links_kind_check CHECK (kind IN ('scorekeeper', 'viewer', 'player')),
            ADD CONSTRAINT table_links_player_check CHECK ((kind = 'player') = (player IS NOT NULL));
    """)


def _ended_links() -> None:
    """
    Create the function that distinguishes a link that has ended from one that never existed.

    The page of an ended link says so to whoever has its secret. As `authenticate_key`, it has no special rights: the
    policy `secret` shows the row of the secret that the setting names.
    """
    op.execute("""
        CREATE FUNCTION is_link_for_pages(secret bytea) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            RETURN EXISTS (
                SELECT FROM table_links AS link WHERE link.secret_sha256 = secret AND link.kind <> 'scorekeeper'
            );
        END $$;
    """)
