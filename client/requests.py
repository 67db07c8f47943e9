"""Requests to the service as types. Generated from the contract by `make generate`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Row = Literal["top", "middle", "bottom"]
RowCategory = Literal[
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
]
DisputeDecision = Literal["upheld", "rejected"]
KeyScope = Literal[
    "*",
    "read",
    "score",
    "write",
    "tables",
    "imports",
    "recompute",
    "disputes",
    "correct",
    "correct-final",
    "audit",
    "webhooks",
    "admin",
]
KeyPreset = Literal["room", "scorekeeper", "auditor", "manager"]
StakesScope = Literal["hand", "fantasyland", "round"]
WinLimit = Literal["stack", "opening", "none"]
Variant = Literal["pineapple", "turbo", "classic"]
LeavingRule = Literal["between_hands", "between_rounds"]
WebhookKind = Literal[
    "hand.recorded",
    "hand.withdrawn",
    "round.completed",
    "settlement.finalized",
    "round.corrected",
    "dispute.opened",
    "dispute.resolved",
    "dispute.withdrawn",
    "payment.recorded",
    "payment.reversed",
    "payment.claimed",
    "payment.claim-declined",
    "payment.claim-withdrawn",
    "charge.recorded",
    "charge.reversed",
    "import.ended",
]
IssuedLinkKind = Literal["scorekeeper", "viewer", "player"]
WebhookState = Literal["active", "disabled"]
RecomputationMode = Literal["audit", "apply"]
AcceptedAs = Literal["accept"]
PatchOperator = Literal["add", "remove", "replace", "move", "copy", "test"]
ChargePer = Literal["hand", "round"]


class FieldError(TypedDict):
    """One error in a request: where it is, the value found and the values accepted."""

    pointer: str
    code: str
    detail: str
    recorded: NotRequired[Any]
    received: NotRequired[Any]
    expected: NotRequired[Any]


class RoundName(TypedDict):
    """A round, by the name of its table and its reference."""

    table: str
    reference: str


class PlayerLimits(TypedDict):
    """The number of players of a round."""

    min: int
    max: int


class PointRules(TypedDict):
    """Points for rows, bonuses and fouls."""

    row: int
    majority_bonus: int
    scoop_bonus: int
    foul_penalty: int


class RoyaltyTables(TypedDict):
    """Royalty points by row."""

    top: dict[str, int]
    middle: dict[str, int]
    bottom: dict[str, int]


class FantasylandLowEntry(TypedDict):
    """Entry into Fantasyland by 7-5-4-3-2 in the middle row."""

    cards: int
    both: int


class FantasylandStay(TypedDict):
    """The lowest category that renews Fantasyland, by row."""

    top: RowCategory | None
    middle: RowCategory | None
    bottom: RowCategory | None


class FantasylandRules(TypedDict):
    """Who enters Fantasyland, who stays, and with how many cards."""

    enter: dict[str, int]
    enter_low: NotRequired[FantasylandLowEntry | None]
    stay: FantasylandStay
    stay_cards: int
    stay_limit: int | None


class StakesRules(TypedDict):
    """How stacks limit payments."""

    scope: StakesScope
    win_limit: WinLimit


class Ruleset(TypedDict):
    """A ruleset. It never changes; a change is a new version."""

    name: str
    version: NotRequired[int | None]
    variant: Variant
    players: PlayerLimits
    low_middle: bool
    points: PointRules
    royalties: RoyaltyTables
    fantasyland: FantasylandRules
    stakes: StakesRules
    leaving: LeavingRule


class DocumentSeat(TypedDict):
    """A player of the round and the stack that they started with."""

    seat: int
    player: str
    stack: int


class TopUp(TypedDict):
    """Points that a player adds to their stack before the hand."""

    seat: int
    points: int


class Street(TypedDict):
    """The cards dealt to one player at once, and where the player placed them."""

    dealt: list[str]
    top: NotRequired[list[str]]
    middle: NotRequired[list[str]]
    bottom: NotRequired[list[str]]
    discards: NotRequired[list[str]]
    auto: NotRequired[list[str]]


class PlayerHand(TypedDict):
    """A player's board in a hand."""

    seat: int
    fantasyland: NotRequired[int]
    top: list[str]
    middle: list[str]
    bottom: list[str]
    discards: NotRequired[list[str] | None]
    streets: NotRequired[list[Street] | None]


class Hand(TypedDict):
    """A hand as it was played, without its result."""

    number: int
    button: int
    played_at: NotRequired[str | None]
    top_ups: NotRequired[list[TopUp]]
    players: list[PlayerHand]


class ScoreRequestPlayer(TypedDict):
    """A player's board to score, optionally with their stack."""

    seat: int
    fantasyland: NotRequired[int]
    top: list[str]
    middle: list[str]
    bottom: list[str]
    discards: NotRequired[list[str] | None]
    streets: NotRequired[list[Street] | None]
    player: NotRequired[str | None]
    stays: NotRequired[int]
    stack: NotRequired[int | None]
    opening_stack: NotRequired[int | None]


class ScoreRequest(TypedDict):
    """A hand to score without storing it. With a button and every player's stack, the response includes transfers."""

    ruleset: str
    button: NotRequired[int | None]
    players: list[ScoreRequestPlayer]
    expected: NotRequired[dict[str, Any] | None]


class DisplayNameRequest(TypedDict):
    """A display name to set. It replaces the player's previous one."""

    display_name: str
    metadata: NotRequired[dict[str, str] | None]


class AliasRequest(TypedDict):
    """Another ID of a player."""

    alias: str


class TableRequest(TypedDict):
    """A table to create."""

    name: str
    ruleset: str
    point_value: NotRequired[int | None]
    unit: NotRequired[str | None]
    minimum_stack: NotRequired[int | None]
    correction_window_minutes: NotRequired[int]
    charge_per: NotRequired[ChargePer | None]
    charge_amount: NotRequired[int | None]
    reference: NotRequired[str | None]
    metadata: NotRequired[dict[str, str]]


class TableChanges(TypedDict):
    """What to change in a table. A field that is omitted stays as it is; at least one is required."""

    name: NotRequired[str]
    ruleset: NotRequired[str]
    point_value: NotRequired[int | None]
    unit: NotRequired[str | None]
    minimum_stack: NotRequired[int | None]
    correction_window_minutes: NotRequired[int]
    charge_per: NotRequired[ChargePer | None]
    charge_amount: NotRequired[int | None]
    is_archived: NotRequired[bool]
    reference: NotRequired[str | None]
    metadata: NotRequired[dict[str, str]]


class RoundSeatRequest(TypedDict):
    """A player of a new round. If `stack` is omitted, the player's last stack at the table carries over."""

    seat: int
    player: str
    stack: NotRequired[int | None]


class RoundRequest(TypedDict):
    """A round to open at a table."""

    seats: list[RoundSeatRequest]
    reference: NotRequired[str | None]
    opened_at: NotRequired[str | None]
    metadata: NotRequired[dict[str, str]]
    expected: NotRequired[dict[str, Any] | None]


class MetadataChanges(TypedDict):
    """The metadata that a record has from now on, instead of those that it had."""

    metadata: dict[str, str]


class RoundCloseRequest(TypedDict):
    """The early end of a round."""

    reason: str
    expected: NotRequired[dict[str, Any] | None]


class DepartureRequest(TypedDict):
    """A player who leaves for the rest of the round."""

    seat: int
    reason: NotRequired[str | None]
    expected: NotRequired[dict[str, Any] | None]


class HandUndoRequest(TypedDict):
    """The last hand of a round, to undo."""

    number: int
    hand: str
    reason: NotRequired[str | None]
    expected: NotRequired[dict[str, Any] | None]


class IrregularHand(TypedDict):
    """A hand accepted as played: it counts although it does not follow the hands before it."""

    hand: int
    reasons: NotRequired[list[FieldError]]


class SettlementConfirmationRequest(TypedDict):
    """A player's confirmation of a settlement."""

    seat: int
    revision: NotRequired[int | None]


class DocumentDeparture(TypedDict):
    """A player who left the round after a hand."""

    seat: int
    after_hand: int
    reason: NotRequired[str | None]


class DocumentClosing(TypedDict):
    """When and why a round ended early."""

    after_hand: int
    reason: str | None


class RoundDocument(TypedDict):
    """Everything that happened in a round, as one document without results."""

    ruleset: str
    table: str
    reference: NotRequired[str | None]
    opened_at: NotRequired[str | None]
    point_value: NotRequired[int | None]
    unit: NotRequired[str | None]
    unit_digits: NotRequired[int | None]
    charge_per: NotRequired[ChargePer | None]
    charge_amount: NotRequired[int | None]
    seats: list[DocumentSeat]
    hands: list[Hand]
    departures: NotRequired[list[DocumentDeparture]]
    closed: NotRequired[DocumentClosing | None]
    irregular: NotRequired[list[IrregularHand]]


class NamedPlayerHand(TypedDict):
    """A player's board in a hand, optionally with the player's ID."""

    seat: int
    fantasyland: NotRequired[int]
    top: list[str]
    middle: list[str]
    bottom: list[str]
    discards: NotRequired[list[str] | None]
    streets: NotRequired[list[Street] | None]
    player: NotRequired[str | None]


class HandCharge(TypedDict):
    """An amount that a player owes the house for a hand."""

    player: str
    unit: str
    amount: int
    reason: str


class HandRequest(TypedDict):
    """A hand to record, optionally with the players' IDs and the expected result."""

    number: int
    button: int
    played_at: NotRequired[str | None]
    top_ups: NotRequired[list[TopUp]]
    players: list[NamedPlayerHand]
    restores: NotRequired[str | None]
    dealt_again: NotRequired[bool]
    charges: NotRequired[list[HandCharge]]
    reference: NotRequired[str | None]
    metadata: NotRequired[dict[str, str]]
    expected: NotRequired[dict[str, Any] | None]


PatchOperation = TypedDict(
    "PatchOperation",
    {
        "op": "PatchOperator",
        "path": "str",
        "from": "NotRequired[str]",
        "value": "NotRequired[Any]",
    },
)
"""One operation of a JSON Patch (RFC 6902)."""


class RowChange(TypedDict):
    """The cards that one row of one seat had in one hand."""

    hand: int
    seat: int
    row: Row
    cards: list[str]


class CorrectionRequest(TypedDict):
    """A correction of a round: a patch of its document, changes of rows, or the whole corrected document."""

    reason: str
    patch: NotRequired[list[PatchOperation] | None]
    changes: NotRequired[list[RowChange] | None]
    document: NotRequired[RoundDocument | None]
    irregular: NotRequired[AcceptedAs | None]
    version: int
    dispute: NotRequired[str | None]
    expected: NotRequired[dict[str, Any] | None]


class WhatIfRequest(TypedDict):
    """Another ruleset, or changes to the round's document, to play without storing the result."""

    ruleset: NotRequired[str | None]
    patch: NotRequired[list[PatchOperation]]
    changes: NotRequired[list[RowChange] | None]


class DisputeRequest(TypedDict):
    """A claim against the settlement of a round: about the whole round, a hand, a seat, or a row of a hand."""

    round: str
    hand: NotRequired[int | None]
    seat: NotRequired[int | None]
    row: NotRequired[Row | None]
    claim: str
    by: str


class DisputeCommentRequest(TypedDict):
    """A comment on a dispute."""

    comment: str
    by: str


class DisputeReviewRequest(TypedDict):
    """The start of a dispute's review."""

    version: int
    by: str


class DisputeResolutionRequest(TypedDict):
    """The result of a dispute's review."""

    version: int
    state: DisputeDecision
    by: str
    reason: NotRequired[str | None]


class DisputeWithdrawalRequest(TypedDict):
    """The withdrawal of a dispute."""

    version: int
    by: str
    reason: NotRequired[str | None]


class DocumentHandRequest(TypedDict):
    """A hand of a round document to play."""

    number: int
    button: int
    played_at: NotRequired[str | None]
    top_ups: NotRequired[list[TopUp]]
    players: list[PlayerHand]
    charges: NotRequired[list[HandCharge]]


class RoundDocumentRequest(TypedDict):
    """A round document to play, optionally with charges of its hands and the expected result."""

    ruleset: str
    table: str
    reference: NotRequired[str | None]
    opened_at: NotRequired[str | None]
    point_value: NotRequired[int | None]
    unit: NotRequired[str | None]
    unit_digits: NotRequired[int | None]
    charge_per: NotRequired[ChargePer | None]
    charge_amount: NotRequired[int | None]
    seats: list[DocumentSeat]
    hands: list[DocumentHandRequest]
    departures: NotRequired[list[DocumentDeparture]]
    closed: NotRequired[DocumentClosing | None]
    irregular: NotRequired[list[IrregularHand]]
    expected: NotRequired[dict[str, Any] | None]


class LinkRequest(TypedDict):
    """A link to a table or to a round. Without a kind, it is a viewer's."""

    table: NotRequired[str | None]
    round: NotRequired[str | None]
    label: NotRequired[str | None]
    kind: NotRequired[IssuedLinkKind]
    player: NotRequired[str | None]
    expires_in: NotRequired[int | None]


class PhoneSignIn(TypedDict):
    """What a phone sends to become a scorekeeper of the club."""

    code: str
    secret: str
    label: NotRequired[str | None]


class ScorekeeperRequest(TypedDict):
    """The hand that is being entered on a device."""

    hand: int


class UnitRequest(TypedDict):
    """A unit to define."""

    code: str
    name: str
    digits: int


class PaymentRequest(TypedDict):
    """A payment of one player to another, or to or from the house."""

    payer: str | None
    payee: str | None
    unit: str
    amount: int
    paid_at: NotRequired[str | None]
    note: NotRequired[str | None]
    round: NotRequired[str | None]
    reference: NotRequired[str | None]


class ReversalRequest(TypedDict):
    """Why a payment or charge is taken back."""

    reason: str


class ChargeRequest(TypedDict):
    """An amount that a player owes the house."""

    player: str
    unit: str
    amount: int
    reason: str
    round: NotRequired[str | None]
    reference: NotRequired[str | None]


class PaymentClaimRequest(TypedDict):
    """A payment that its payer claims to have made, to another player or to the house."""

    payer: str
    payee: str | None
    unit: str
    amount: int
    paid_at: NotRequired[str | None]
    round: NotRequired[str | None]
    reference: NotRequired[str | None]


class PaymentClaimDeclineRequest(TypedDict):
    """Why a claim is declined."""

    reason: str


class CosignatureRequest(TypedDict):
    """The cosignature of a witness (C2SP tlog-cosignature, version 1) to add to a checkpoint."""

    witness: str
    signature: str


RecomputationScope = TypedDict(
    "RecomputationScope",
    {
        "table": "NotRequired[str | None]",
        "rounds": "NotRequired[list[str] | None]",
        "ruleset": "NotRequired[str | None]",
        "from": "NotRequired[str | None]",
        "to": "NotRequired[str | None]",
    },
)
"""Filters of the rounds to recompute. A round must match every filter; without filters, every round matches."""


class RecomputationRequest(TypedDict):
    """A recomputation to start: stored rounds are replayed and compared with the records."""

    scope: NotRequired[RecomputationScope]
    mode: RecomputationMode
    ruleset: NotRequired[str | None]
    reason: str
    final: NotRequired[bool]
    audit: NotRequired[str | None]


class Upholding(TypedDict):
    """The decision to uphold the dispute that a correction names."""

    version: int
    by: str
    reason: NotRequired[str | None]


class CorrectionProposalRequest(TypedDict):
    """A correction of a round that is proposed, as `POST /v1/rounds/{round_id}/corrections` has it."""

    reason: str
    patch: NotRequired[list[PatchOperation] | None]
    changes: NotRequired[list[RowChange] | None]
    document: NotRequired[RoundDocument | None]
    irregular: NotRequired[AcceptedAs | None]
    version: int
    dispute: NotRequired[str | None]
    expected: NotRequired[dict[str, Any] | None]
    upholds: NotRequired[Upholding | None]


class RecomputationProposalRequest(TypedDict):
    """The proposal to apply an audit, with its rounds whose settlement is or was final."""

    reason: str


class WithdrawalRequest(TypedDict):
    """Why a proposal is withdrawn or refused."""

    reason: str


class WebhookRequest(TypedDict):
    """A webhook: an endpoint, and the kinds of messages that it receives."""

    url: str
    kinds: list[WebhookKind]
    description: NotRequired[str | None]
    state: NotRequired[WebhookState]


class WebhookChanges(TypedDict):
    """What to change in a webhook. A field that is omitted stays as it is."""

    url: NotRequired[str]
    kinds: NotRequired[list[WebhookKind]]
    description: NotRequired[str | None]
    state: NotRequired[WebhookState]


class SecretRotationRequest(TypedDict):
    """A rotation of the secret of a webhook."""

    overlap_seconds: NotRequired[int]


class ApiKeyRequest(TypedDict):
    """An API key to create, with the scopes of a preset or with single scopes."""

    name: str
    preset: NotRequired[KeyPreset | None]
    scopes: NotRequired[list[KeyScope] | None]
    expires_at: NotRequired[str | None]
    player: NotRequired[str | None]


class HandLine(TypedDict):
    """A hand, and its round."""

    round: str | RoundName
    number: int
    button: int
    played_at: NotRequired[str | None]
    top_ups: NotRequired[list[TopUp]]
    players: list[NamedPlayerHand]
    restores: NotRequired[str | None]
    dealt_again: NotRequired[bool]
    charges: NotRequired[list[HandCharge]]
    reference: NotRequired[str | None]
    metadata: NotRequired[dict[str, str]]
    expected: NotRequired[dict[str, Any] | None]
