"""Of every column that is kept: what it is held against, or why against nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Cover(StrEnum):
    """What a column is held against."""

    KEY = "key"
    BYTES = "bytes"
    EVENT = "event"
    PLAYED = "played"
    TREE = "tree"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Table:
    """
    A table, and what its columns are held against.

    Attributes:
        key: tells one record from the others; a record that events do not speak of is found by it.
        event: as the event says that made the record.
        played: as the round comes to, played again from its events.
        bytes: part of the event's own bytes, or their hash.
        tree: hashed anew from the events, or signed.
        free: against nothing.
    """

    key: tuple[str, ...]
    event: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    bytes: tuple[str, ...] = ()
    tree: tuple[str, ...] = ()
    free: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, Cover]:
        """Every column, and what it is held against."""
        return {
            **dict.fromkeys(self.key, Cover.KEY),
            **dict.fromkeys(self.event, Cover.EVENT),
            **dict.fromkeys(self.played, Cover.PLAYED),
            **dict.fromkeys(self.bytes, Cover.BYTES),
            **dict.fromkeys(self.tree, Cover.TREE),
            **dict.fromkeys(self.free, Cover.NOTHING),
        }


def _table(key: str, *, event: str = "", played: str = "", bytes_: str = "", tree: str = "", free: str = "") -> Table:
    return Table(*(tuple(columns.split()) for columns in (key, event, played, bytes_, tree, free)))


AUDITED: Final[Mapping[str, Table]] = {
    "clubs": _table("id", event="name created_at"),
    "api_keys": _table(
        "club_id id",
        event="name prefix secret_sha256 scopes created_at expires_at revoked_at",
        free="last_used_at",
    ),
    "rulesets": _table("club_id name version", event="content digest created_at"),
    "tables": _table(
        "club_id id",
        event="name ruleset_name ruleset_version point_value currency minimum_stack correction_window_minutes"
        " created_at",
    ),
    "revoked_links": _table("club_id round_id expires_at", event="revoked_at"),
    "rounds": _table(
        "club_id id",
        event="table_id table_sequence imported reference digest point_value currency opened_at recorded_at"
        " correction_window_minutes",
    ),
    "settlements": _table(
        "club_id round_id revision", event="ruleset_name ruleset_version reason created_at adjusts_revision"
    ),
    "round_seats": _table("club_id round_id revision seat", event="player opening_stack carried_over"),
    "departures": _table("club_id round_id revision position", event="seat after_hand reason recorded_at"),
    "closings": _table("club_id round_id revision", event="after_hand reason recorded_at"),
    "submissions": _table("club_id id", event="kind content sha256 received_at"),
    "hands": _table(
        "club_id id",
        event="round_id number button played_at recorded_at submission_id digest content seats fantasyland boards",
    ),
    "corrections": _table("club_id round_id revision", event="digest submission_id dispute"),
    "confirmations": _table("club_id round_id revision seat", event="confirmed_at"),
    "hand_scores": _table(
        "club_id round_id revision number",
        event="hand_id ruleset_name ruleset_version scorer_version",
        played="points fouls royalties earned stays exchanges top_ups stacks_before stacks transfer_count irregular",
    ),
    "payouts": _table("club_id round_id revision", played="number stacks_before stacks transfer_count"),
    "transfers": _table(
        "club_id round_id revision number late position",
        played="payer payee due paid limited_by payer_stack payee_stack",
    ),
    "adjustments": _table("club_id round_id revision position", played="payer payee points"),
    "disputes": _table(
        "club_id id",
        event="round_id table_id revision hand seat board_row claim said_by digest opened_at",
    ),
    "dispute_entries": _table("club_id dispute_id version", event="round_id kind said_by words correction digest at"),
    "dispute_heads": _table("club_id dispute_id", event="state version"),
    "round_heads": _table(
        "club_id round_id",
        event="table_id version revision ruleset_name ruleset_version seats players opening_stacks provisional_until"
        " final_revision open_disputes last_event",
        played="status hands top_ups stacks state settlement_state",
    ),
    "events": _table("club_id id", bytes_="round_id sequence kind actor request_id at heading content hash"),
    "waiting_events": _table("club_id event_id"),
    "tree_nodes": _table("club_id level position", tree="hash event_id"),
    "tree_heads": _table("club_id", tree="size signed_size signed_at mapped_size"),
    "round_map_tiles": _table("club_id prefix", tree="tile", free="since signed_tile"),
    "checkpoints": _table("club_id size", tree="root note created_at", free="id"),
}
"""What is held against events, and against what is played again from them."""

UNAUDITED: Final[Mapping[str, str]] = {
    "alembic_version": "the shape of the tables, which every start holds against the release",
    "players": "display names: they can be changed and erased, so nothing that is kept for ever may speak of them",
    "link_secrets": "what viewers' links are signed with; no record is read by them",
    "kept_answers": "answers to requests, for who asks again; what they speak of is held against events itself",
    "jobs": "how far work is; what it does to rounds are events of theirs",
    "job_chunks": "how far work is; what it does to rounds are events of theirs",
    "wake_ups": "messages to workers",
    "import_pieces": "what waits to be imported; it becomes submissions of rounds",
    "import_results": "what became of an import's lines; the rounds are held against their events",
    "differences": "what a recomputation found; it can be found again",
}
"""What is held against nothing, and why."""
