"""What each stored column is compared with, and how stored records differ from those that must be there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from service.replays.findings import Finding, FindingKind


class Comparison(StrEnum):
    """What a column is compared with."""

    KEY = "key"
    BYTES = "bytes"
    EVENT = "event"
    PLAYED = "played"
    TREE = "tree"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Table:
    """
    A table, and what its columns are compared with.

    Attributes:
        key: identifies a record; a surplus record is found by it.
        event: compared with the event that made the record.
        played: compared with the result of the round, replayed from its events.
        bytes: part of the event's bytes, or their hash.
        tree: hashed again from the events, or signed.
        free: compared with nothing.
    """

    key: tuple[str, ...]
    event: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    bytes: tuple[str, ...] = ()
    tree: tuple[str, ...] = ()
    free: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, Comparison]:
        """Every column, and what it is compared with."""
        return {
            **dict.fromkeys(self.key, Comparison.KEY),
            **dict.fromkeys(self.event, Comparison.EVENT),
            **dict.fromkeys(self.played, Comparison.PLAYED),
            **dict.fromkeys(self.bytes, Comparison.BYTES),
            **dict.fromkeys(self.tree, Comparison.TREE),
            **dict.fromkeys(self.free, Comparison.NOTHING),
        }


def _table(key: str, *, event: str = "", played: str = "", bytes_: str = "", tree: str = "", free: str = "") -> Table:
    return Table(*(tuple(columns.split()) for columns in (key, event, played, bytes_, tree, free)))


AUDITED: Final[Mapping[str, Table]] = {
    "clubs": _table("id", event="name created_at time_zone evening_begins second_auditor"),
    "players": _table("club_id player", event="display_name salt named_at", free="id"),
    "aliases": _table("club_id alias", event="player id joined_at"),
    "api_keys": _table(
        "club_id id",
        event="name name_salt prefix secret_sha256 scopes created_at expires_at revoked_at player created_by replaces",
        free="last_used_at",
    ),
    "rulesets": _table("club_id name version", event="content digest created_at"),
    "units": _table("club_id code", event="name digits defined_at"),
    "tables": _table(
        "club_id id",
        event="name ruleset_name ruleset_version point_value unit unit_digits charge_per charge_amount minimum_stack"
        " correction_window_minutes created_at archived_at reference",
    ),
    "links": _table(
        "club_id id",
        event="table_id round_id key_id kind player label label_salt secret_sha256 scopes created_at expires_at"
        " revoked_at",
        free="last_used_at",
    ),
    "rounds": _table(
        "club_id id",
        event="table_id table_sequence imported reference digest point_value unit unit_digits charge_per"
        " charge_amount opened_at recorded_at correction_window_minutes",
    ),
    "settlements": _table(
        "club_id round_id revision", event="ruleset_name ruleset_version reason created_at adjusts_revision"
    ),
    "round_seats": _table("club_id round_id revision seat", event="player opening_stack carried_over"),
    "departures": _table("club_id round_id revision position", event="seat after_hand reason recorded_at"),
    "closings": _table("club_id round_id revision", event="after_hand reason recorded_at"),
    "submissions": _table("club_id id", event="kind content sha256 text received_at"),
    "hands": _table(
        "club_id id",
        event="round_id number button played_at recorded_at submission_id digest content seats fantasyland boards"
        " reference",
    ),
    "corrections": _table("club_id round_id revision", event="digest submission_id dispute"),
    "confirmations": _table("club_id round_id revision seat", event="confirmed_at"),
    "hand_scores": _table(
        "club_id round_id revision number",
        event="hand_id ruleset_name ruleset_version scorer_version",
        played="points fouls royalties royalties_top royalties_middle from_rows from_bonuses from_fouls earned stays"
        " exchanges scoops top_ups stacks_before stacks transfers irregular",
    ),
    "payouts": _table("club_id round_id revision", played="number stacks_before stacks transfers"),
    "adjustments": _table("club_id round_id revision position", played="payer payee points"),
    "entries": _table(
        "club_id id",
        event="kind posted_at played_at round_id revision previous_revision table_id unit unit_digits accounts"
        " reference reverses",
        played="amounts charges",
    ),
    "texts": _table("club_id digest", event="field content salt record_id round_id player"),
    "payment_claims": _table(
        "club_id id", event="claimed_at payer payee unit unit_digits amount paid_at table_id round_id reference"
    ),
    "payment_claim_outcomes": _table("club_id claim_id", event="id outcome ended_at"),
    "disputes": _table(
        "club_id id",
        event="round_id table_id revision hand seat board_row claim author author_name opened_at",
    ),
    "dispute_entries": _table(
        "club_id dispute_id version", event="round_id kind author author_name comment correction recorded_at"
    ),
    "dispute_heads": _table("club_id dispute_id", event="state version"),
    "proposals": _table(
        "club_id id",
        event="kind proposed_by proposed_at digest request_digest received round_id table_id revision dispute upholds"
        " audit_id",
    ),
    "proposal_ends": _table(
        "club_id proposal_id",
        event="proposed_by state ended_by ended_at reason round_id revision recomputation_id",
    ),
    "round_heads": _table(
        "club_id round_id",
        event="table_id version revision ruleset_name ruleset_version seats players opening_stacks provisional_until"
        " final_revision open_disputes last_event",
        played="status hands top_ups stacks state settlement_state",
    ),
    "round_statistics": _table(
        "club_id round_id player",
        event="table_id ruleset_name ruleset_version opened_at point_value unit unit_digits place",
        played="top_ups received not_received paid not_paid hands points squares best worst points_by_hand fouls scoops"
        " fantasyland_hands fantasyland_entered fantasyland_stayed royalties_top royalties_middle royalties_bottom"
        " from_rows from_bonuses from_royalties from_fouls opponents hands_against points_against squares_against"
        " scoops_against scooped_against paid_against",
    ),
    "acknowledged_findings": _table("club_id digest", event="id acknowledged_at"),
    "events": _table("club_id id", bytes_="round_id sequence kind actor request_id at heading content hash"),
    "waiting_events": _table("club_id event_id"),
    "tree_nodes": _table("club_id level position", tree="hash event_id"),
    "tree_heads": _table("club_id", tree="size signed_size signed_at served_size mapped_size"),
    "round_map_tiles": _table("club_id prefix", tree="tile", free="since signed_tile"),
    "checkpoints": _table("club_id size", event="created_at", tree="root note", free="id"),
}
"""The tables that are compared with events, and with their replay."""

UNAUDITED: Final[Mapping[str, str]] = {
    "alembic_version": "the version of the schema, which every start compares with the release",
    "idempotent_responses": "stored responses for retries; the records in them are compared with events themselves",
    "webhooks": "where messages are sent; no record depends on them",
    "webhook_deliveries": "messages to webhooks; they repeat what the events of rounds say",
    "cosignatures": "each is verified with the key beside it before it is stored, and by everyone who reads it",
    "feed_entries": "the index by which the feed of events filters; it repeats what the compared events say",
    "jobs": "progress of work; its changes to rounds are events of the rounds",
    "job_chunks": "progress of work; its changes to rounds are events of the rounds",
    "import_pieces": "lines that wait to be imported; they become submissions of rounds",
    "import_results": "the results of an import's lines; the rounds are compared with their events",
    "console_sessions": "who is signed in to the console; sessions end after hours",
    "scorekeepers": "who is entering a hand at the moment; entries expire after seconds",
    "verifications": "the result of the last verification; another verification writes it again",
    "verification_findings": "the findings of the last verification; another verification writes them again",
    "differences": "the differences that a recomputation found; another recomputation finds them again",
    "audited_rounds": "which rounds an audit found to differ; a round is replayed again before it is changed",
}
"""The tables that are compared with nothing, and why."""


Row = Mapping[str, Any]
Key = tuple[Any, ...]
Expected = Mapping[str, Mapping[Key, Row]]
"""
Of each table the records that must be there, by their keys without the club, with the columns to compare.

Where an event has only the digest of a value, a function returns the expected value for the stored record.
"""


def compare_records(
    club_id: object, table: str, stored: Iterable[Row], expected: Mapping[Key, Row]
) -> Iterator[Finding]:
    """Yield a finding for each record of a table that is missing, surplus or different."""
    covered = AUDITED[table]
    columns = covered.columns
    names = covered.key if table == "clubs" else covered.key[1:]
    missing = dict(expected)

    def place(key: Key) -> dict[str, Any]:
        own = dict(zip(names, key, strict=True))
        return own if table == "clubs" else {"club_id": club_id, **own}

    for row in stored:
        key = tuple([row[name] for name in names])
        right = missing.pop(key, None)
        if right is None:  # also if another record has its key
            yield Finding(FindingKind.RECORD_SURPLUS, table, place(key))
            continue
        if right.items() <= row.items():
            continue
        for column, value in right.items():
            needed = value(row) if callable(value) else value
            if row[column] != needed:
                kind = (
                    FindingKind.FIGURE_DIFFERS if columns[column] is Comparison.PLAYED else FindingKind.RECORD_DIFFERS
                )
                yield Finding(kind, table, place(key), column, row[column], needed)
    for key in missing:
        yield Finding(FindingKind.RECORD_MISSING, table, place(key))


def check_sums(table: str, stored: Iterable[Row]) -> Iterator[Finding]:
    """
    Yield a finding for each record in which points were created or lost, or a stack is negative.

    Hand scores that are read without their results are not checked: these are proven.
    """
    rules = _RULES.get(table, {})
    for row in stored:
        for column, rule in rules.items():
            if column not in row:
                continue
            try:
                value, right = rule(row)
            except TypeError:  # a NULL, where its constraint was dropped
                value, right = row[column], "figures"
            if value != right:
                key = {name: row[name] for name in AUDITED[table].key}
                yield Finding(FindingKind.SUM_BROKEN, table, key, column, value, right)


def _no_points_in_a_hand(row: Row) -> tuple[int, int]:
    return sum(row["points"]), 0


def _no_amounts_in_an_entry(row: Row) -> tuple[int, int]:
    return sum(row["amounts"]), 0


def _no_charges_in_an_entry(row: Row) -> tuple[int, int]:
    return sum(row["charges"] or ()), 0


def _stacks_of_a_hand(row: Row) -> tuple[int, int]:
    return sum(row["stacks"]), sum(row["stacks_before"]) + sum(row["top_ups"])


def _stacks_of_a_payout(row: Row) -> tuple[int, int]:
    return sum(row["stacks"]), sum(row["stacks_before"])


def _stacks_of_a_round(row: Row) -> tuple[int, int]:
    return sum(row["stacks"]), sum(row["opening_stacks"]) + sum(row["top_ups"])


def _payable(row: Row) -> tuple[Any, Any]:
    """Return transfers, and the same within what was due and what the payer had."""
    paid = row["transfers"]
    return paid, [
        {**each, "paid": min(max(each["paid"], 0), each["due"]), "payer_stack": max(each["payer_stack"], 0)}
        for each in paid
    ]


_RULES: Final[Mapping[str, Mapping[str, Callable[[Row], tuple[Any, Any]]]]] = {
    "hand_scores": {"points": _no_points_in_a_hand, "stacks": _stacks_of_a_hand, "transfers": _payable},
    "payouts": {"stacks": _stacks_of_a_payout, "transfers": _payable},
    "round_heads": {"stacks": _stacks_of_a_round},
    "entries": {"amounts": _no_amounts_in_an_entry, "charges": _no_charges_in_an_entry},
}
