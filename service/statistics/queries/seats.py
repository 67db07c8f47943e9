"""
What the queries of sums share: which rounds have changed since they were measured, and the results of their players.

Sums over `round_statistics AS measured` omit changed rounds, whose figures are read from their records.
"""

from typing import Final

CHANGED: Final = "SELECT round_id FROM unmeasured_rounds WHERE club_id = :club_id"
"""The rounds that have changed since they were measured."""
UNCHANGED: Final = """
    NOT EXISTS (
        SELECT FROM unmeasured_rounds AS changed
        WHERE (changed.club_id, changed.round_id) = (measured.club_id, measured.round_id)
    )
"""
"""The condition for measured rounds that have not changed since."""
# A lateral join that unnests the arrays of each round takes half as long again.
SEATS: Final = """
    SELECT head.round_id, head.revision, head.table_id, head.ruleset_name, head.ruleset_version, round.opened_at,
        round.point_value, round.currency, CAST(generate_subscripts(head.players, 1) AS smallint) AS place,
        unnest(head.seats) AS seat, unnest(head.players) AS player, unnest(head.opening_stacks) AS opening_stack,
        unnest(head.top_ups) AS top_ups, unnest(head.stacks) AS stack
    FROM rounds AS round JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
"""
"""The players of rounds, with their stacks now, from the heads of the rounds."""
