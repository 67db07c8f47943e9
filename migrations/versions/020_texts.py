"""The texts of people about records, which can be erased."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "020"
down_revision = "019"


def upgrade() -> None:
    """
    Create the texts: notes, reasons, claims, comments, names of keys as authors, metadata, and bodies with these.

    Events and records have the HMAC-SHA-256 of a text, keyed by the salt, and no text. Names of players, names of keys
    and labels of links are in the records of these.

    A text is erased with its record, with its round or with its player. No statistics are stored about the contents,
    because those would outlive an erased one.
    """
    op.execute("""
        CREATE TABLE texts (
            club_id uuid NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            field text NOT NULL CONSTRAINT texts_field_check CHECK (field IN
                ('note', 'reason', 'claim', 'comment', 'author', 'metadata', 'submission')),
            content text NOT NULL CHECK (content <> ''),
            salt bytea NOT NULL CHECK (octet_length(salt) = 32),
            -- NULL for the metadata of a player.
            record_id uuid,
            round_id uuid,
            -- Who wrote it, or whom it is about.
            player text CHECK (player <> ''),
            PRIMARY KEY (club_id, digest),
            CONSTRAINT texts_owner_check CHECK (record_id IS NOT NULL OR player IS NOT NULL)
        );
        CREATE INDEX texts_of_record ON texts (club_id, record_id) WHERE record_id IS NOT NULL;
        CREATE INDEX texts_of_round ON texts (club_id, round_id) WHERE round_id IS NOT NULL;
        CREATE INDEX texts_of_player ON texts (club_id, player) WHERE player IS NOT NULL;
        CREATE UNIQUE INDEX texts_metadata_of_record ON texts (club_id, record_id)
            WHERE field = 'metadata' AND record_id IS NOT NULL;
        CREATE UNIQUE INDEX texts_metadata_of_player ON texts (club_id, player)
            WHERE field = 'metadata' AND record_id IS NULL;
        ALTER TABLE texts ALTER COLUMN content SET STATISTICS 0;
    """)
    one_club_at_a_time("texts")
    # A link sees the texts of the rounds that it shows; that of a player also the notes of the player's own payments
    # and charges, and any link the reasons of the claims that it sees.
    op.execute("""
        CREATE POLICY one_table ON texts AS RESTRICTIVE FOR SELECT USING (
            CASE WHEN (SELECT current_table()) IS NULL THEN true
                WHEN field = 'note' THEN
                    EXISTS (
                        SELECT FROM payment_claims AS claim
                        WHERE (claim.club_id, claim.id) = (texts.club_id, texts.record_id)
                    ) OR (SELECT current_player()) IS NOT NULL AND EXISTS (
                        SELECT FROM entries AS entry
                        WHERE entry.club_id = texts.club_id AND entry.id = texts.record_id
                            AND entry.accounts && CAST((SELECT ids_of_player(current_player())) AS text[])
                    )
                ELSE EXISTS (
                    SELECT FROM round_heads AS head
                    WHERE head.club_id = texts.club_id AND head.round_id = texts.round_id
                        AND head.table_id = (SELECT current_table())
                        AND CASE WHEN (SELECT current_round()) IS NULL THEN true
                            ELSE head.round_id = (SELECT current_round()) END
                )
            END
        );
    """)
