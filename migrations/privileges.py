"""
The privileges of the service on each table, and on the functions that have the rights of the tables' owner.

The service reads and inserts. It updates only the heads of rounds and disputes, tables, jobs, display names, webhooks,
and the last use of keys and links, and it revokes links. It erases texts, names of keys and labels of links. It creates
and revokes keys by two functions only. The owner of the tables creates clubs and their first keys. The privileges are
granted after every migration, so every new table must be listed here.
"""

from collections.abc import Mapping
from typing import Final

READ: Final = "SELECT"
APPEND: Final = "SELECT, INSERT"
_HEAD_COLUMNS: Final = (
    "status, version, revision, ruleset_name, ruleset_version, hands, seats, players, opening_stacks, top_ups, stacks,"
    " state, settlement_state, provisional_until, final_revision, open_disputes, last_event"
)

SERVICE_PRIVILEGES: Final[Mapping[str, str]] = {
    "alembic_version": READ,
    "clubs": READ,
    "api_keys": "SELECT, UPDATE (last_used_at, name, name_salt)",
    "rulesets": APPEND,
    "tables": "SELECT, INSERT, UPDATE (name, ruleset_name, ruleset_version, point_value, unit, unit_digits,"
    " charge_per, charge_amount, minimum_stack, correction_window_minutes, archived_at, reference)",
    "units": APPEND,
    "players": "SELECT, INSERT, UPDATE (display_name, salt, named_at), DELETE",
    "aliases": "SELECT, INSERT, DELETE",
    "rounds": APPEND,
    "settlements": APPEND,
    "corrections": APPEND,
    "confirmations": APPEND,
    "adjustments": APPEND,
    "entries": APPEND,
    "payment_claims": APPEND,
    "payment_claim_outcomes": APPEND,
    "disputes": APPEND,
    "dispute_entries": APPEND,
    "proposals": APPEND,
    "proposal_ends": APPEND,
    "dispute_heads": "SELECT, INSERT, UPDATE (state, version)",
    "round_seats": APPEND,
    "departures": APPEND,
    "closings": APPEND,
    "round_heads": f"SELECT, INSERT, UPDATE ({_HEAD_COLUMNS})",
    "submissions": APPEND,
    "hands": APPEND,
    "hand_scores": APPEND,
    "payouts": APPEND,
    "events": APPEND,
    "waiting_events": "SELECT, INSERT, DELETE",
    "tree_nodes": APPEND,
    "feed_entries": APPEND,
    "tree_heads": "SELECT, INSERT, UPDATE (size, signed_size, signed_at, served_size, mapped_size)",
    "round_map_tiles": "SELECT, INSERT, UPDATE (tile, since, signed_tile)",
    "checkpoints": APPEND,
    "cosignatures": APPEND,
    "idempotent_responses": "SELECT, INSERT, DELETE",
    "links": "SELECT, INSERT, UPDATE (revoked_at, last_used_at, label, label_salt)",
    "texts": "SELECT, INSERT, DELETE",
    "console_sessions": "SELECT, INSERT, UPDATE (ended_at), DELETE",
    "scorekeepers": "SELECT, INSERT, UPDATE (label, hand, expires_at), DELETE",
    "jobs": "SELECT, INSERT, UPDATE (parameters, state, total, received, failure, started_at, planned_at, ended_at)",
    "job_chunks": "SELECT, INSERT, UPDATE (state, attempts, failures, interruptions, messages, send_at, result,"
    " accounted, error, ended_at)",
    "import_pieces": "SELECT, INSERT, DELETE",
    "import_results": "SELECT, INSERT, DELETE",
    "differences": APPEND,
    "audited_rounds": APPEND,
    "round_statistics": "SELECT, INSERT, DELETE",
    "verifications": READ,
    "verification_findings": READ,
    "acknowledged_findings": APPEND,
    "webhooks": "SELECT, INSERT, UPDATE (url, kinds, description, state, disabled_because, failing_since,"
    " last_failure_at, secret, previous_secret, previous_until), DELETE",
    "webhook_deliveries": "SELECT, INSERT, UPDATE (is_redelivery, is_sending, state, attempts, next_attempt_at,"
    " first_attempt_at, last_status, last_error, ended_at), DELETE",
}

VIEW_PRIVILEGES: Final[Mapping[str, str]] = dict.fromkeys(
    ("transfers", "computed_statistics", "player_rounds", "player_opponents"), READ
)
"""Views, which show the records that the role can read."""

SHARED_PRIVILEGES: Final[Mapping[str, str]] = {
    "SCHEMA shared": "USAGE",
    "SEQUENCE shared.queue_id_sequence": "USAGE",
    "SEQUENCE shared.message_id_sequence": "USAGE",
    "shared.signing_keys": APPEND,
    "shared.moments": "SELECT, INSERT, UPDATE (at), DELETE",
    "shared.kombu_queue": APPEND,
    # Kombu locks and marks consumed messages; the service deletes them.
    "shared.kombu_message": "SELECT, INSERT, UPDATE, DELETE",
}
"""Objects that belong to no club and have no row-level security: moments of workers, and the message queue."""

FUNCTION_PRIVILEGES: Final[Mapping[str, str]] = dict.fromkeys(("FUNCTION create_key", "FUNCTION revoke_key"), "EXECUTE")
"""
Functions that have the rights of the tables' owner (`SECURITY DEFINER`).

PostgreSQL lets everybody execute a new function.
"""
