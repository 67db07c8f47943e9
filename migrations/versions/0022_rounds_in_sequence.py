"""Number the rounds of each table in the order in which they were recorded, and mark those that were imported."""

from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """
    Add both columns and fill them for existing rounds.

    Which of those were imported is known only where an import still has its result. The owner changes the table without
    its policy and its trigger: rounds of every club get their numbers.
    """
    op.execute("""
        ALTER TABLE rounds ADD COLUMN table_sequence integer, ADD COLUMN imported boolean;
        ALTER TABLE rounds DISABLE TRIGGER append_only, NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE import_results NO FORCE ROW LEVEL SECURITY;
        UPDATE rounds SET table_sequence = numbered.table_sequence, imported = stored.round_id IS NOT NULL
        FROM (
            SELECT club_id, id,
                row_number() OVER (PARTITION BY club_id, table_id ORDER BY opened_at, id) AS table_sequence
            FROM rounds
        ) AS numbered
        LEFT JOIN (
            SELECT DISTINCT club_id, CAST(line ->> 'round' AS uuid) AS round_id FROM (
                SELECT club_id, CAST(line AS jsonb) AS line
                FROM import_results, regexp_split_to_table(convert_from(content, 'UTF8'), '\\n') AS line
                WHERE line <> ''
            ) AS lines WHERE line ->> 'status' = 'stored'
        ) AS stored ON (stored.club_id, stored.round_id) = (numbered.club_id, numbered.id)
        WHERE (rounds.club_id, rounds.id) = (numbered.club_id, numbered.id);
        ALTER TABLE import_results FORCE ROW LEVEL SECURITY;
        ALTER TABLE rounds ENABLE TRIGGER append_only, FORCE ROW LEVEL SECURITY;
        ALTER TABLE rounds
            ALTER COLUMN table_sequence SET NOT NULL,
            ALTER COLUMN imported SET NOT NULL,
            ADD CONSTRAINT rounds_table_sequence_check CHECK (table_sequence >= 1),
            ADD CONSTRAINT rounds_table_sequence_key UNIQUE (club_id, table_id, table_sequence);
        -- A table's last rounds are looked for among those that were not imported.
        CREATE INDEX rounds_at_table ON rounds (club_id, table_id, table_sequence) WHERE NOT imported;
    """)
