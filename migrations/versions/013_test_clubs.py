"""Test clubs, whose records can be deleted together."""

from alembic import op

revision = "013"
down_revision = "012"


def upgrade() -> None:
    _test_clubs()
    _wipes()
    _references()


def _test_clubs() -> None:
    """
    Add the mark of test clubs, which is set when a club is created and never changes.

    If a real club could become a test club, its records could be deleted. So the row of a club cannot be deleted and
    inserted again either.
    """
    op.execute("""
        ALTER TABLE clubs ADD COLUMN test boolean NOT NULL DEFAULT false;

        CREATE FUNCTION refuse_change_of_club() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% on % is refused: a club and whether it is a test club are permanent',
                TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
        END $$;

        CREATE TRIGGER permanent BEFORE UPDATE ON clubs FOR EACH ROW
            WHEN (OLD.id <> NEW.id OR OLD.test <> NEW.test) EXECUTE FUNCTION refuse_change_of_club();
        CREATE TRIGGER permanent_row BEFORE DELETE ON clubs
            FOR EACH ROW EXECUTE FUNCTION refuse_change_of_club();
        CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON clubs
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_club();
    """)


def _wipes() -> None:
    """
    Permit to delete records of a test club in a transaction that names the club in the setting `ofc.wiped_club`.

    The setting prevents mistakes with single records of a test club. It has no effect for a real club, and the service
    lacks the privilege to delete. `is_wiped` is bound to the table `clubs` of this schema, whatever the search path is.
    """
    op.execute("""
        CREATE FUNCTION is_wiped(club uuid) RETURNS boolean LANGUAGE sql STABLE
            RETURN current_setting('ofc.wiped_club', true) = club::text
                AND EXISTS (SELECT FROM clubs WHERE clubs.id = club AND clubs.test);

        CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            -- Tables of other schemas have no column `club_id`.
            IF TG_OP = 'DELETE' AND TG_TABLE_SCHEMA = 'public' THEN
                IF is_wiped(OLD.club_id) THEN
                    RETURN OLD;
                END IF;
            END IF;
            RAISE EXCEPTION '% on % is refused: its records are append-only', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END $$;
    """)


def _references() -> None:
    """
    Create the indexes by which PostgreSQL finds the records that refer to a deleted submission.

    Without them it would read all hands of the club for every submission.
    """
    op.execute("""
        CREATE INDEX hands_submission ON hands (club_id, submission_id);
        CREATE INDEX corrections_submission ON corrections (club_id, submission_id);
    """)
