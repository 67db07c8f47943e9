"""Rulesets, which never change, and tables."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("""
        -- A preset is copied into a club when it is first used there, so that every round has its rules beside it.
        CREATE TABLE rulesets (
            club_id uuid NOT NULL REFERENCES clubs,
            name text NOT NULL,
            version integer NOT NULL CHECK (version >= 1),
            content jsonb NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, name, version)
        );

        CREATE TABLE tables (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            name text NOT NULL CHECK (name <> ''),
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            point_value bigint CHECK (point_value >= 0),
            currency text CHECK (currency ~ '^[A-Z]{3}$'),
            minimum_stack bigint CHECK (minimum_stack >= 0),
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT tables_name_key UNIQUE (club_id, name),
            FOREIGN KEY (club_id, ruleset_name, ruleset_version) REFERENCES rulesets
        );
    """)
    one_club_at_a_time("rulesets", "tables")
    append_only("rulesets", "tables")
