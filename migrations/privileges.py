"""
What the service may do with each table, and nothing else.

It reads and adds; it changes only where each round stands, what players are called and when a key was last used. Clubs
and keys are made by the owner of the tables. Granted after every migration, for a table that a version adds has to be
named here.
"""

from collections.abc import Mapping
from typing import Final

READ: Final = "SELECT"
APPEND: Final = "SELECT, INSERT"
_STANDING: Final = (
    "status, version, revision, ruleset_name, ruleset_version, hands, seats, players, opening_stacks, top_ups, stacks,"
    " state"
)

SERVICE_PRIVILEGES: Final[Mapping[str, str]] = {
    "alembic_version": READ,
    "clubs": READ,
    "api_keys": "SELECT, UPDATE (last_used_at)",
    "rulesets": APPEND,
    "tables": APPEND,
    "players": "SELECT, INSERT, UPDATE (display_name, named_at), DELETE",
    "rounds": APPEND,
    "settlements": APPEND,
    "corrections": APPEND,
    "round_seats": APPEND,
    "departures": APPEND,
    "closings": APPEND,
    "round_heads": f"SELECT, INSERT, UPDATE ({_STANDING})",
    "submissions": APPEND,
    "hands": APPEND,
    "hand_scores": APPEND,
    "payouts": APPEND,
    "transfers": APPEND,
    "events": APPEND,
    "kept_answers": APPEND,
}
