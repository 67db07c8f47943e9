"""
Responses of the service as types. Generated from the contract by `make generate`.

A response is a dictionary whose fields are attributes too: `round_["status"]` is `round_.status`. Two kinds of fields
are not declared: those that can be absent, `document.get("reference")`, and those with a name that Python uses,
`statement["from"]`.
"""

from __future__ import annotations

from typing import Any, Literal

from client.responses import Response

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
FoulReason = Literal["top_beats_middle", "middle_beats_bottom", "middle_does_not_qualify", "top_beats_bottom"]
LimitedBy = Literal["payer_stack", "winner_room"]
HandLineStatus = Literal["recorded", "replayed", "undone", "refused", "not_attempted"]
ImportLineStatus = Literal["stored", "replayed", "refused"]
RoundStatus = Literal["open", "complete", "closed"]
SettlementState = Literal["open", "provisional", "disputed", "final"]
SettlementRevisionState = Literal["open", "provisional", "disputed", "final", "superseded"]
DisputeState = Literal["open", "under_review", "upheld", "rejected", "withdrawn"]
DisputeEntryKind = Literal["comment", "under_review", "upheld", "rejected", "withdrawn"]
ProposalKind = Literal["correction", "recomputation"]
ProposalState = Literal["waiting", "confirmed", "withdrawn"]
FinalReason = Literal["window", "confirmed", "import"]
ExchangePart = Literal["top", "middle", "bottom", "majority", "scoop", "foul", "royalty"]
RuleName = Literal[
    "Comparing three cards with five",
    "Deuce-to-seven low",
    "Foul",
    "Points between two players",
    "Majority and scoop",
    "A foul against a good board",
    "Royalties",
    "Fantasyland",
    "Entering Fantasyland",
    "Staying in Fantasyland",
    "How often one may stay",
    "Busted and left",
    "Completion",
    "Closing early",
    "Leaving and top-ups",
    "Hands accepted as played",
    "Order of payment",
    "What caps a payment",
    "Scope of the stakes",
]
StakesScope = Literal["hand", "fantasyland", "round"]
WinLimit = Literal["stack", "opening", "none"]
Variant = Literal["pineapple", "turbo", "classic"]
LeavingRule = Literal["between_hands", "between_rounds"]
PlotName = Literal["stacks", "net", "sources", "head-to-head", "caps", "fouls", "distribution"]
EntryKind = Literal["settlement", "adjustment", "reversal", "payment", "charge"]
PaymentClaimState = Literal["pending", "confirmed", "declined", "withdrawn"]
PaymentPlan = Literal["fewest", "few", "pairs"]
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
MessageKind = Literal[
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
    "webhook.test",
]
IdKind = Literal[
    "table",
    "round",
    "hand",
    "dispute",
    "recomputation",
    "import",
    "checkpoint",
    "webhook",
    "delivery",
    "link",
    "key",
    "payment",
    "charge",
    "proposal",
    "payment_claim",
]
MetadataOwner = Literal["table", "round", "hand", "player"]
LinkKind = Literal["scorekeeper", "viewer", "player", "club"]
WebhookState = Literal["active", "disabled"]
WebhookDisabledBecause = Literal["request", "failing", "gone"]
DeliveryState = Literal["waiting", "delivered", "dead_lettered"]
JobState = Literal["queued", "running", "paused", "cancelling", "cancelled", "succeeded", "failed"]
RecomputationMode = Literal["audit", "apply"]
ChargePer = Literal["hand", "round"]


class ScoredRow(Response):
    """A row and its royalty."""

    category: RowCategory
    description: str
    royalty: int


class ScoredRows(Response):
    """The three rows of a board."""

    top: ScoredRow
    middle: ScoredRow
    bottom: ScoredRow


class ScoredPlayer(Response):
    """A player's board and its result."""

    seat: int
    foul: bool
    foul_reason: FoulReason | None
    royalties: int
    points: int
    fantasyland: int
    rows: ScoredRows


class RowResults(Response):
    """The result of each row: 1 if the first player wins, -1 if the second player wins, 0 for a tie."""

    top: int
    middle: int
    bottom: int


class Exchange(Response):
    """Head-to-head points of one hand, before caps. Positive points are for the first player."""

    seats: list[int]
    rows: RowResults
    row_points: int
    bonus: int
    foul: int
    royalties: int
    points: int


class Transfer(Response):
    """Points paid from one player to another, after caps."""

    order: int
    payer: int
    payee: int
    due: int
    paid: int
    limited_by: LimitedBy | None
    payer_stack: int
    payee_stack: int


class FieldError(Response):
    """One error in a request: where it is, the value found and the values accepted."""

    pointer: str
    code: str
    detail: str


class RoundSeat(Response):
    """A player of a round with their points."""

    seat: int
    player: str
    opening_stack: int
    top_ups: int
    stack: int
    playing: bool


class NextHand(Response):
    """The number, button, players and Fantasyland of the next hand of a round."""

    number: int
    button: int | None
    seats: list[int]
    fantasyland: dict[str, int]


class Round(Response):
    """A round as it is now."""

    id: str
    table: str
    ruleset: str
    stakes_scope: StakesScope
    reference: str | None
    status: RoundStatus
    version: int
    hands: int
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    charge_per: ChargePer | None
    charge_amount: int | None
    opened_at: str
    recorded_at: str
    state: SettlementState
    seats: list[RoundSeat]
    next: NextHand | None


class RecordedHandWithRound(Response):
    """A recorded hand and its result, its metadata, and the round as it is now."""

    ruleset: str
    players: list[ScoredPlayer]
    exchanges: list[Exchange]
    transfers: list[Transfer] | None
    stacks: dict[str, int] | None
    id: str
    number: int
    button: int
    played_at: str | None
    recorded_at: str
    in_force: bool
    reference: str | None
    irregular: list[FieldError]
    metadata: dict[str, str]
    round: Round


class Problem(Response):
    """A problem document (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str


class HandLineResult(Response):
    """The result of a line, and of its hand."""

    line: int
    status: HandLineStatus
    round: str | None
    hand: RecordedHandWithRound | None
    problem: Problem | None


class ImportLineResult(Response):
    """The result of a line of an import."""

    line: int
    status: ImportLineStatus
    round: str | None
    problem: Problem | None


class PlayerLimits(Response):
    """The number of players of a round."""

    min: int
    max: int


class PointRules(Response):
    """Points for rows, bonuses and fouls."""

    row: int
    majority_bonus: int
    scoop_bonus: int
    foul_penalty: int


class RoyaltyTables(Response):
    """Royalty points by row."""

    top: dict[str, int]
    middle: dict[str, int]
    bottom: dict[str, int]


class FantasylandLowEntry(Response):
    """Entry into Fantasyland by 7-5-4-3-2 in the middle row."""

    cards: int
    both: int


class FantasylandStay(Response):
    """The lowest category that renews Fantasyland, by row."""

    top: RowCategory | None
    middle: RowCategory | None
    bottom: RowCategory | None


class FantasylandRules(Response):
    """Who enters Fantasyland, who stays, and with how many cards."""

    enter: dict[str, int]
    stay: FantasylandStay
    stay_cards: int
    stay_limit: int | None


class StakesRules(Response):
    """How stacks limit payments."""

    scope: StakesScope
    win_limit: WinLimit


class Ruleset(Response):
    """A ruleset. It never changes; a change is a new version."""

    name: str
    variant: Variant
    players: PlayerLimits
    low_middle: bool
    points: PointRules
    royalties: RoyaltyTables
    fantasyland: FantasylandRules
    stakes: StakesRules
    leaving: LeavingRule


class RulesetAddedEvent(Response):
    """A version of a ruleset was added."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["ruleset.added"]
    content: Ruleset


class ClubCreatedContent(Response):
    """The payload of a `club.created` event."""

    club: str
    name: str


class ClubCreatedEvent(Response):
    """A club was created."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["club.created"]
    content: ClubCreatedContent


class ClubChangedContent(Response):
    """The payload of a `club.changed` event."""

    club: str
    time_zone: str
    evening_begins: str


class ClubChangedEvent(Response):
    """A setting of a club was changed; the fields are those after the change."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["club.changed"]
    content: ClubChangedContent


class CheckpointSealedContent(Response):
    """The payload of a `checkpoint.sealed` event."""

    map_root: str


class CheckpointSealedEvent(Response):
    """A checkpoint of all events up to this one was signed, at the time of this event."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["checkpoint.sealed"]
    content: CheckpointSealedContent


class KeyCreatedContent(Response):
    """The payload of a `key.created` event."""

    key: str
    prefix: str
    name: str
    scopes: list[str]
    expires_at: str | None
    replaces: str | None
    secret: str


class KeyCreatedEvent(Response):
    """An API key was created."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["key.created"]
    content: KeyCreatedContent


class KeyRevokedContent(Response):
    """The payload of a `key.revoked` event."""

    key: str
    prefix: str
    overlap_seconds: int
    revoked_at: str


class KeyRevokedEvent(Response):
    """An API key was revoked, at once or after an overlap."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["key.revoked"]
    content: KeyRevokedContent


class WebhookAddedContent(Response):
    """The payload of a `webhook.added` event."""

    webhook: str
    host: str
    kinds: list[str]
    state: str


class WebhookAddedEvent(Response):
    """A webhook was added."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["webhook.added"]
    content: WebhookAddedContent


class WebhookChangedContent(Response):
    """The payload of a `webhook.changed` event."""

    webhook: str
    host: str
    kinds: list[str]
    state: str


class WebhookChangedEvent(Response):
    """The URL, kinds, description or state of a webhook was changed; the fields are those after the change."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["webhook.changed"]
    content: WebhookChangedContent


class WebhookRemovedContent(Response):
    """The payload of a `webhook.removed` event."""

    webhook: str
    host: str


class WebhookRemovedEvent(Response):
    """A webhook was removed."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["webhook.removed"]
    content: WebhookRemovedContent


class WebhookSecretRotatedContent(Response):
    """The payload of a `webhook.secret-rotated` event."""

    webhook: str
    host: str
    overlap_seconds: int


class WebhookSecretRotatedEvent(Response):
    """The secret of a webhook was replaced; messages are signed with the old one too during the overlap."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["webhook.secret-rotated"]
    content: WebhookSecretRotatedContent


class LinkIssuedContent(Response):
    """The payload of a `link.issued` event."""

    link: str
    key: str
    kind: LinkKind
    label: str
    scopes: list[str]
    expires_at: str
    secret: str


class LinkIssuedEvent(Response):
    """A link to a table, to a round or to the club was issued."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["link.issued"]
    content: LinkIssuedContent


class LinkRevokedContent(Response):
    """The payload of a `link.revoked` event."""

    link: str


class LinkRevokedEvent(Response):
    """A link was revoked."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["link.revoked"]
    content: LinkRevokedContent


class PlayerNamedContent(Response):
    """The payload of a `player.named` event."""

    player: str
    digest: str


class PlayerNamedEvent(Response):
    """A display name was set for a player. No event contains the name."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["player.named"]
    content: PlayerNamedContent


class PlayerErasedContent(Response):
    """The payload of a `player.erased` event."""

    player: str


class PlayerErasedEvent(Response):
    """The display name of a player was erased, with the texts by them and about them."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["player.erased"]
    content: PlayerErasedContent


class PlayerJoinedContent(Response):
    """The payload of a `player.joined` event."""

    player: str
    alias: str


class PlayerJoinedEvent(Response):
    """An ID was joined to a player: both are IDs of one person."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["player.joined"]
    content: PlayerJoinedContent


class PlayerPartedContent(Response):
    """The payload of a `player.parted` event."""

    player: str
    alias: str


class PlayerPartedEvent(Response):
    """An ID was parted from the player that it was joined to, and is a player of its own again."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["player.parted"]
    content: PlayerPartedContent


class UnitDefinedContent(Response):
    """The payload of a `unit.defined` event."""

    code: str
    name: str
    digits: int


class UnitDefinedEvent(Response):
    """The club defined a unit of amounts, which never changes."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["unit.defined"]
    content: UnitDefinedContent


class TextsErasedContent(Response):
    """The payload of a `texts.erased` event."""

    record: str
    texts: list[str]


class TextsErasedEvent(Response):
    """The texts of a record were erased."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["texts.erased"]
    content: TextsErasedContent


class MetadataChangedContent(Response):
    """The payload of a `metadata.changed` event."""

    of: MetadataOwner
    metadata: str | None


class MetadataChangedEvent(Response):
    """The metadata of a record were set, replaced or removed."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["metadata.changed"]
    content: MetadataChangedContent


class TableCreatedContent(Response):
    """The payload of a `table.created` event."""

    id: str
    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    minimum_stack: int | None
    correction_window_minutes: int


class TableCreatedEvent(Response):
    """A table was created."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["table.created"]
    content: TableCreatedContent


class TableChangedContent(Response):
    """The payload of a `table.changed` event."""

    id: str
    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    minimum_stack: int | None
    correction_window_minutes: int
    archived_at: str | None


class TableChangedEvent(Response):
    """The name or a setting of a table was changed; the fields are those after the change."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["table.changed"]
    content: TableChangedContent


class DocumentSeat(Response):
    """A player of the round and the stack that they started with."""

    seat: int
    player: str
    stack: int


class ReceivedBytes(Response):
    """The bytes of a request, which are stored. They have one of the two digests."""

    id: str


class RoundOpenedContent(Response):
    """The payload of a `round.opened` event."""

    round: str
    table: str
    table_sequence: int
    imported: bool
    reference: str | None
    digest: str
    ruleset: str
    ruleset_digest: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    opened_at: str
    correction_window_minutes: int
    seats: list[DocumentSeat]
    carried_over: list[int]
    submission: ReceivedBytes | None


class RoundOpenedEvent(Response):
    """A round was opened at a table."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["round.opened"]
    content: RoundOpenedContent


class TopUp(Response):
    """Points that a player adds to their stack before the hand."""

    seat: int
    points: int


class Street(Response):
    """The cards dealt to one player at once, and where the player placed them."""

    dealt: list[str]


class PlayerHand(Response):
    """A player's board in a hand."""

    seat: int
    top: list[str]
    middle: list[str]
    bottom: list[str]


class Hand(Response):
    """A hand as it was played, without its result."""

    number: int
    button: int
    players: list[PlayerHand]


class HandRecordedContent(Response):
    """The payload of a `hand.recorded` event."""

    round: str
    id: str
    hand: Hand
    stacks: list[int]
    scorer: int


class HandResult(Response):
    """The result of a hand and its round: computed by the service, and not part of the signed event."""

    round_id: str
    table_id: str
    reference: str | None
    revision: int
    players: dict[str, str]
    stacks: dict[str, int]
    net: dict[str, int]
    hand_id: str
    number: int
    points: dict[str, int]
    transfers: list[Transfer]


class HandRecordedEvent(Response):
    """A hand was recorded."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["hand.recorded"]
    content: HandRecordedContent
    result: HandResult | None


class HandWithdrawnContent(Response):
    """The payload of a `hand.withdrawn` event."""

    round: str
    number: int
    hand: str
    digest: str
    departures: list[int]
    reason: str
    revision: int
    scorer: int


class RevisionResult(Response):
    """The result of a round in a revision: computed by the service, and not part of the signed event."""

    round_id: str
    table_id: str
    reference: str | None
    revision: int
    players: dict[str, str]
    stacks: dict[str, int]
    net: dict[str, int]


class HandWithdrawnEvent(Response):
    """The last hand of a round was undone, which made a revision."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["hand.withdrawn"]
    content: HandWithdrawnContent
    result: RevisionResult | None


class DepartureRecordedContent(Response):
    """The payload of a `departure.recorded` event."""

    round: str
    seat: int
    after_hand: int
    reason: str | None


class DepartureRecordedEvent(Response):
    """A player left after a hand."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["departure.recorded"]
    content: DepartureRecordedContent


class RoundClosedContent(Response):
    """The payload of a `round.closed` event."""

    round: str
    after_hand: int
    reason: str | None


class RoundClosedEvent(Response):
    """A round was ended before it was complete."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["round.closed"]
    content: RoundClosedContent
    result: RevisionResult | None


class CorrectedDeparture(Response):
    """A departure in the document of a correction."""

    seat: int
    after_hand: int
    reason: str | None


class CorrectedClosing(Response):
    """The closing in the document of a correction."""

    after_hand: int
    reason: str | None


class CorrectedDocument(Response):
    """The document from which a round is played after a correction, with the digests of its reasons."""

    ruleset: str
    table: str
    reference: str | None
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    seats: list[DocumentSeat]
    hands: list[Hand]
    departures: list[CorrectedDeparture]
    closed: CorrectedClosing | None


class HandRecordDigest(Response):
    """The record of a hand, and the digest of its content."""

    hand: str
    digest: str


class RoundCorrectedContent(Response):
    """The payload of a `round.corrected` event."""

    round: str
    revision: int
    reason: str
    dispute: str | None
    correction: str
    document: CorrectedDocument
    digest: str
    ruleset: str
    ruleset_digest: str
    hands: list[str]
    hands_before: list[str]
    recorded: list[HandRecordDigest]
    irregular: list[int]
    submission: ReceivedBytes
    scorer: int


class RoundCorrectedEvent(Response):
    """A round was corrected, which made a revision."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["round.corrected"]
    content: RoundCorrectedContent
    result: RevisionResult | None


class RoundRecomputedContent(Response):
    """The payload of a `round.recomputed` event."""

    round: str
    recomputation: str
    ruleset: str
    ruleset_digest: str
    revision: int
    reason: str | None
    scorer: int


class RoundRecomputedEvent(Response):
    """A recomputation settled a round again, which made a revision."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["round.recomputed"]
    content: RoundRecomputedContent
    result: RevisionResult | None


class SettlementConfirmedContent(Response):
    """The payload of a `settlement.confirmed` event."""

    round: str
    revision: int
    seat: int


class SettlementConfirmedEvent(Response):
    """The player in a seat confirmed the settlement of a revision."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["settlement.confirmed"]
    content: SettlementConfirmedContent
    result: RevisionResult | None


class SettlementFinalizedContent(Response):
    """The payload of a `settlement.finalized` event."""

    round: str
    revision: int
    because: FinalReason


class SettlementFinalizedEvent(Response):
    """The settlement of a revision became final."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["settlement.finalized"]
    content: SettlementFinalizedContent
    result: RevisionResult | None


class DisputeOpenedContent(Response):
    """The payload of a `dispute.opened` event."""

    round: str
    dispute: str
    revision: int
    hand: int | None
    seat: int | None
    row: Row | None
    by: str | None
    claim: str


class DisputeOpenedEvent(Response):
    """A player disputed the settlement of a revision."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["dispute.opened"]
    content: DisputeOpenedContent


class DisputeCommentedContent(Response):
    """The payload of a `dispute.commented` event."""

    round: str
    dispute: str
    version: int
    kind: DisputeEntryKind
    by: str | None
    words: str | None
    correction: int | None


class DisputeCommentedEvent(Response):
    """Somebody commented on a dispute."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["dispute.commented"]
    content: DisputeCommentedContent


class DisputeReviewedContent(Response):
    """The payload of a `dispute.reviewed` event."""

    round: str
    dispute: str
    version: int
    kind: DisputeEntryKind
    by: str | None
    words: str | None
    correction: int | None


class DisputeReviewedEvent(Response):
    """The review of a dispute started."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["dispute.reviewed"]
    content: DisputeReviewedContent


class DisputeResolvedContent(Response):
    """The payload of a `dispute.resolved` event."""

    round: str
    dispute: str
    version: int
    kind: DisputeEntryKind
    by: str | None
    words: str | None
    correction: int | None


class DisputeResolvedEvent(Response):
    """A dispute was upheld or rejected."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["dispute.resolved"]
    content: DisputeResolvedContent


class DisputeWithdrawnContent(Response):
    """The payload of a `dispute.withdrawn` event."""

    round: str
    dispute: str
    version: int
    kind: DisputeEntryKind
    by: str | None
    words: str | None
    correction: int | None


class DisputeWithdrawnEvent(Response):
    """A dispute was withdrawn."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["dispute.withdrawn"]
    content: DisputeWithdrawnContent


class PaymentRecordedContent(Response):
    """The payload of a `payment.recorded` event."""

    payer: str | None
    payee: str | None
    unit: str
    unit_digits: int
    amount: int
    paid_at: str
    table: str | None
    reference: str
    note: str | None


class PaymentRecordedEvent(Response):
    """One player paid another, or the house. The ID of the event is that of the payment."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["payment.recorded"]
    content: PaymentRecordedContent


class PaymentReversedContent(Response):
    """The payload of a `payment.reversed` event."""

    payment: str
    reason: str


class PaymentReversedEvent(Response):
    """A payment was taken back. The ID of the event is that of the reversal."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["payment.reversed"]
    content: PaymentReversedContent


class PaymentClaimedContent(Response):
    """The payload of a `payment.claimed` event."""

    payer: str
    payee: str | None
    unit: str
    unit_digits: int
    amount: int
    paid_at: str
    table: str | None
    reference: str


class PaymentClaimedEvent(Response):
    """A player claims to have paid, which is no payment yet. The ID of the event is that of the claim."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["payment.claimed"]
    content: PaymentClaimedContent


class PaymentClaimDeclinedContent(Response):
    """The payload of a `payment.claim-declined` event."""

    claim: str
    reason: str


class PaymentClaimDeclinedEvent(Response):
    """The payee or the club did not confirm a claim."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["payment.claim-declined"]
    content: PaymentClaimDeclinedContent


class PaymentClaimWithdrawnContent(Response):
    """The payload of a `payment.claim-withdrawn` event."""

    claim: str


class PaymentClaimWithdrawnEvent(Response):
    """A claim was withdrawn."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["payment.claim-withdrawn"]
    content: PaymentClaimWithdrawnContent


class ChargeRecordedContent(Response):
    """The payload of a `charge.recorded` event."""

    player: str
    unit: str
    unit_digits: int
    amount: int
    table: str | None
    round: str | None
    reference: str
    reason: str


class ChargeRecordedEvent(Response):
    """A player owes the house an amount. The ID of the event is that of the charge."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["charge.recorded"]
    content: ChargeRecordedContent


class ChargeReversedContent(Response):
    """The payload of a `charge.reversed` event."""

    charge: str
    reason: str


class ChargeReversedEvent(Response):
    """A charge was taken back. The ID of the event is that of the reversal."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["charge.reversed"]
    content: ChargeReversedContent


class ProposalOpenedContent(Response):
    """The payload of a `proposal.opened` event."""

    kind: ProposalKind
    digest: str
    request: str
    received: str
    round: str | None
    table: str | None
    revision: int | None
    dispute: str | None
    upholds: bool
    audit: str | None


class ProposalOpenedEvent(Response):
    """A change of a final settlement was proposed. The ID of the event is that of the proposal."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["proposal.opened"]
    content: ProposalOpenedContent


class ProposalConfirmedContent(Response):
    """The payload of a `proposal.confirmed` event."""

    proposal: str
    revision: int | None
    recomputation: str | None


class ProposalConfirmedEvent(Response):
    """Another key confirmed a proposal, which took effect."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["proposal.confirmed"]
    content: ProposalConfirmedContent


class ProposalWithdrawnContent(Response):
    """The payload of a `proposal.withdrawn` event."""

    proposal: str
    reason: str


class ProposalWithdrawnEvent(Response):
    """A proposal was withdrawn by who made it, or refused by another key."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["proposal.withdrawn"]
    content: ProposalWithdrawnContent


class FindingsAcknowledgedContent(Response):
    """The payload of a `findings.acknowledged` event."""

    verified_at: str
    findings: list[str]


class FindingsAcknowledgedEvent(Response):
    """Somebody acknowledged findings of a verification of the database."""

    position: int
    id: str
    round: str | None
    table: str | None
    sequence: int | None
    at: str
    hash: str
    previous: str | None
    bytes: str | None
    actor: str | None
    request_id: str | None
    kind: Literal["findings.acknowledged"]
    content: FindingsAcknowledgedContent


class HandScore(Response):
    """The result of a hand."""

    ruleset: str
    players: list[ScoredPlayer]
    exchanges: list[Exchange]
    transfers: list[Transfer] | None
    stacks: dict[str, int] | None


class ListedRuleset(Response):
    """A ruleset, and the ruleset in words."""

    name: str
    variant: Variant
    players: PlayerLimits
    low_middle: bool
    points: PointRules
    royalties: RoyaltyTables
    fantasyland: FantasylandRules
    stakes: StakesRules
    leaving: LeavingRule
    words: str


class Alias(Response):
    """Another ID of a player, whose figures are those of the player."""

    alias: str
    joined_at: str


class Player(Response):
    """A player with a display name, with aliases, or with both."""

    player: str
    display_name: str | None
    named_at: str | None
    aliases: list[Alias]


class PlayerWithMetadata(Response):
    """A player with a display name and metadata."""

    player: str
    display_name: str | None
    named_at: str | None
    aliases: list[Alias]
    metadata: dict[str, str]


class TableWithMetadata(Response):
    """A table with its metadata."""

    id: str
    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    minimum_stack: int | None
    correction_window_minutes: int
    charge_per: ChargePer | None
    charge_amount: int | None
    created_at: str
    archived_at: str | None
    reference: str | None
    metadata: dict[str, str]


class Table(Response):
    """A table."""

    id: str
    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    minimum_stack: int | None
    correction_window_minutes: int
    charge_per: ChargePer | None
    charge_amount: int | None
    created_at: str
    archived_at: str | None
    reference: str | None


class PointPayment(Response):
    """A payment of points between two players. Points are added only where they are worth the same."""

    payer: str
    payee: str
    amount: int
    point_value: int | None
    unit: str | None
    table: str | None


class MoneyPayment(Response):
    """A payment of money between two players."""

    payer: str
    payee: str
    amount: int
    unit: str


class StatementPayments(Response):
    """The payments that settle up rounds: points of the same worth, or the money of each unit."""

    points: list[PointPayment]
    money: list[MoneyPayment]


class PlayerStatement(Response):
    """A player's totals over several rounds."""

    opening_stack: int
    top_ups: int
    between_rounds: int
    net: int
    stack: int
    player: str
    rounds: int
    money: dict[str, int]
    charges: dict[str, int]


class PointTotals(Response):
    """Points over several rounds."""

    opening_stack: int
    top_ups: int
    between_rounds: int
    net: int
    stack: int


class TableStatement(Response):
    """The players' results at a table over several rounds, and the payments that settle them up."""

    to: str | None
    rounds: int
    open_rounds: int
    unit_digits: dict[str, int]
    payments: StatementPayments
    payments_are: PaymentPlan
    table: str
    players: list[PlayerStatement]
    totals: PointTotals


class OpenedRound(Response):
    """A round that was opened."""

    id: str
    table: str
    ruleset: str
    stakes_scope: StakesScope
    reference: str | None
    status: RoundStatus
    version: int
    hands: int
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    charge_per: ChargePer | None
    charge_amount: int | None
    opened_at: str
    recorded_at: str
    state: SettlementState
    seats: list[RoundSeat]
    next: NextHand | None
    metadata: dict[str, str]


class RoundWithMetadata(Response):
    """A round as it is now, with its metadata."""

    id: str
    table: str
    ruleset: str
    stakes_scope: StakesScope
    reference: str | None
    status: RoundStatus
    version: int
    hands: int
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    charge_per: ChargePer | None
    charge_amount: int | None
    opened_at: str
    recorded_at: str
    state: SettlementState
    seats: list[RoundSeat]
    next: NextHand | None
    metadata: dict[str, str]


class DroppedDeparture(Response):
    """A departure that is no longer part of the round."""

    seat: int
    after_hand: int
    reason: str | None


class RoundAfterUndo(Response):
    """A round without the hand that was undone."""

    id: str
    table: str
    ruleset: str
    stakes_scope: StakesScope
    reference: str | None
    status: RoundStatus
    version: int
    hands: int
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    charge_per: ChargePer | None
    charge_amount: int | None
    opened_at: str
    recorded_at: str
    state: SettlementState
    seats: list[RoundSeat]
    next: NextHand | None


class SettledTransfer(Response):
    """Points paid from one player to another, with the players and the money."""

    order: int
    payer: int
    payee: int
    due: int
    paid: int
    limited_by: LimitedBy | None
    payer_stack: int
    payee_stack: int
    hand: int
    payer_player: str
    payee_player: str
    amount: int | None


class Standing(Response):
    """A player's place in the round."""

    seat: int
    net: int
    place: int


class SettlementMoney(Response):
    """The net points in money."""

    point_value: int
    unit: str | None
    unit_digits: int | None
    net: dict[str, int]


class IrregularHand(Response):
    """A hand accepted as played: it counts although it does not follow the hands before it."""

    hand: int


class AdjustmentTransfer(Response):
    """A payment between two players that adjusts a final settlement."""

    payer: str
    payee: str
    points: int
    money: int | None


class SettlementAdjustment(Response):
    """The fewest payments from a final settlement to the corrected one."""

    from_revision: int
    transfers: list[AdjustmentTransfer]


class SettlementCharge(Response):
    """What the players of a round owe the house by the standing charge of the table."""

    charge_per: ChargePer
    charge_amount: int
    unit: str | None
    unit_digits: int | None
    charged: dict[str, int]


class RoundSettlement(Response):
    """The settlement of a round, with the table, the round and the players that it is about."""

    revision: int
    state: SettlementRevisionState
    provisional_until: str | None
    confirmed: list[int]
    transfers: list[SettledTransfer]
    stacks: dict[str, int]
    net: dict[str, int]
    standings: list[Standing]
    money: SettlementMoney | None
    reason: str | None
    irregular: list[IrregularHand]
    adjustment: SettlementAdjustment | None
    table: str
    round: str
    reference: str | None
    players: dict[str, str]
    standing_charge: SettlementCharge | None


class DocumentDeparture(Response):
    """A player who left the round after a hand."""

    seat: int
    after_hand: int


class DocumentClosing(Response):
    """When and why a round ended early."""

    after_hand: int
    reason: str | None


class RoundDocument(Response):
    """Everything that happened in a round, as one document without results."""

    ruleset: str
    table: str
    seats: list[DocumentSeat]
    hands: list[Hand]


class SettlementTransfer(Response):
    """Points paid from one player to another, after caps, and the hand with which they were paid."""

    order: int
    payer: int
    payee: int
    due: int
    paid: int
    limited_by: LimitedBy | None
    payer_stack: int
    payee_stack: int
    hand: int


class Settlement(Response):
    """The settlement of a round: every transfer, the stacks and the standings."""

    revision: int
    state: SettlementRevisionState
    provisional_until: str | None
    confirmed: list[int]
    transfers: list[SettlementTransfer]
    stacks: dict[str, int]
    net: dict[str, int]
    standings: list[Standing]
    money: SettlementMoney | None
    reason: str | None
    irregular: list[IrregularHand]
    adjustment: SettlementAdjustment | None


class RecordedHand(Response):
    """A recorded hand and its result."""

    ruleset: str
    players: list[ScoredPlayer]
    exchanges: list[Exchange]
    transfers: list[Transfer] | None
    stacks: dict[str, int] | None
    id: str
    number: int
    button: int
    played_at: str | None
    recorded_at: str
    in_force: bool
    reference: str | None
    irregular: list[FieldError]


class EvidenceRevision(Response):
    """A revision of the round: its document and its result."""

    revision: int
    document: RoundDocument
    settlement: Settlement
    hands: list[RecordedHand]


class EvidenceText(Response):
    """A text of the revisions, with the key of the digest that the events have of it."""

    text: str
    salt: str


class ProvedEvent(Response):
    """An event of the audit trail, with its proof of inclusion in the checkpoint's tree."""

    event: str
    position: int | None
    proof: list[str] | None


class NewestEvent(Response):
    """The round's newest event when the checkpoint was signed."""

    sequence: int
    event: str
    proof: list[str]


class ConsistencyProof(Response):
    """An RFC 6962 consistency proof: the checkpoint's tree only adds events to an older one."""

    size: int
    proof: list[str]


class Evidence(Response):
    """The evidence of a round in one file: `ofc verify` verifies it without the service."""

    format: Literal["tablestakes-evidence/1"]
    club: str
    round: str
    revisions: list[EvidenceRevision]
    rulesets: list[Ruleset]
    texts: list[EvidenceText]
    events: list[ProvedEvent]
    related: list[ProvedEvent]
    checkpoint: str | None
    sealed: ProvedEvent | None
    newest: NewestEvent | None
    consistency: ConsistencyProof | None


class ListedHand(Response):
    """A recorded hand of a round, and its result."""

    ruleset: str
    players: list[ScoredPlayer]
    exchanges: list[Exchange]
    transfers: list[Transfer] | None
    stacks: dict[str, int] | None
    id: str
    number: int
    button: int
    played_at: str | None
    recorded_at: str
    in_force: bool
    reference: str | None
    irregular: list[FieldError]
    corrected: bool


class FoundHand(Response):
    """A recorded hand of any round, and its result."""

    ruleset: str
    players: list[ScoredPlayer]
    exchanges: list[Exchange]
    transfers: list[Transfer] | None
    stacks: dict[str, int] | None
    id: str
    number: int
    button: int
    played_at: str | None
    recorded_at: str
    in_force: bool
    reference: str | None
    irregular: list[FieldError]
    round: str


class Board(Response):
    """The cards of the three rows of a board."""

    top: list[str]
    middle: list[str]
    bottom: list[str]


class PlayerSnapshot(Response):
    """A player's board and its result, before or after a change."""

    seat: int
    foul: bool
    foul_reason: FoulReason | None
    royalties: int
    points: int
    fantasyland: int
    rows: ScoredRows
    dealt_fantasyland: int
    board: Board


class HandSnapshot(Response):
    """A hand before or after a change. Its transfers include those that a departure or closing paid after it."""

    ruleset: str
    players: list[PlayerSnapshot]
    exchanges: list[Exchange]
    transfers: list[Transfer] | None
    stacks: dict[str, int] | None
    button: int
    irregular: list[FieldError]


class HandComparison(Response):
    """A hand that a change affects, before and after."""

    number: int
    before: HandSnapshot | None
    after: HandSnapshot | None


class NetComparison(Response):
    """A player's net points of the round, before and after a change."""

    player: str
    before: int | None
    after: int | None
    change: int


class CarriedOverStack(Response):
    """A player who started the table's next round with the stack that this round left; that round is not changed."""

    round: str
    seat: int
    player: str
    opening_stack: int
    left: int | None


class RoundComparison(Response):
    """A round before and after a change: the affected hands and the net points of every player."""

    round: Round
    revision: int
    hands: list[HandComparison]
    net: list[NetComparison]
    carried_over: list[CarriedOverStack]
    adjustment: SettlementAdjustment | None
    dropped_departures: list[DroppedDeparture]
    changed: bool


class Ratio(Response):
    """A number of cases out of all possible cases, for example 2 of 9 boards."""

    count: int
    of: int


class RoundAnomaly(Response):
    """A ratio of a round that is unusually high compared with other rounds of its table."""

    code: str
    seats: list[int]
    found: Ratio
    usual: Ratio
    formula: str


class DisputeHistoryEntry(Response):
    """A comment on a dispute, or a change of its state."""

    version: int
    kind: DisputeEntryKind
    by: str | None
    words: str | None
    correction: int | None
    at: str


class DisputeWithHistory(Response):
    """A dispute with its history."""

    id: str
    round: str
    table: str
    revision: int
    hand: int | None
    seat: int | None
    row: Row | None
    claim: str | None
    by: str | None
    state: DisputeState
    version: int
    opened_at: str
    unusual: list[RoundAnomaly]
    history: list[DisputeHistoryEntry]
    corrections: list[int]


class Dispute(Response):
    """A dispute of one revision of a round's settlement."""

    id: str
    round: str
    table: str
    revision: int
    hand: int | None
    seat: int | None
    row: Row | None
    claim: str | None
    by: str | None
    state: DisputeState
    version: int
    opened_at: str
    unusual: list[RoundAnomaly]


class RuleNote(Response):
    """A note about a hand, and the rule that states it."""

    text: str
    rule: RuleName


class ExplainedFoul(Response):
    """Why a board is foul, and the cards that decide it."""

    reason: FoulReason
    rows: list[Row]
    cards: list[list[str]]
    text: str
    rule: RuleName


class ExplainedFantasyland(Response):
    """Fantasyland as dealt and earned by a board, and the cards that decide it."""

    dealt: int
    earned: int
    lost: bool
    rows: list[Row]
    cards: list[list[str]]
    text: str
    rule: RuleName


class ExplainedRoyalty(Response):
    """The royalty of a row, and the cards that earn it."""

    made: str
    points: int
    cards: list[str]
    text: str
    rule: RuleName


class ExplainedRow(Response):
    """A row of a board, and its royalty."""

    cards: list[str]
    description: str
    royalty: ExplainedRoyalty | None


class ExplainedRows(Response):
    """The three rows of a board."""

    top: ExplainedRow
    middle: ExplainedRow
    bottom: ExplainedRow


class ExplainedPlayer(Response):
    """A player's board, explained on its own."""

    seat: int
    player: str
    points: int
    royalties: int
    foul: ExplainedFoul | None
    fantasyland: ExplainedFantasyland | None
    rows: ExplainedRows


class ExchangeReason(Response):
    """Head-to-head points for one reason, such as a row or a royalty. Positive points are for the first player."""

    part: ExchangePart
    points: int
    seat: int | None
    row: Row | None
    first: list[str]
    second: list[str]
    text: str
    rule: RuleName


class ExplainedExchange(Response):
    """Head-to-head points of one hand with their reasons. Positive points are for the first player."""

    seats: list[int]
    points: int
    reasons: list[ExchangeReason]


class HeadToHeadTotal(Response):
    """Head-to-head points added up over the round. Positive points are for the first player."""

    seats: list[int]
    before: int
    points: int
    after: int
    text: str
    rule: RuleName


class ExplainedPayment(Response):
    """A payment with the stacks before and after it, and the cap that limited it."""

    order: int
    payer: int
    payee: int
    due: int
    paid: int
    limited_by: LimitedBy | None
    payer_stack: int
    payee_stack: int
    payer_had: int
    payee_had: int
    payee_opened: int | None
    room: int | None
    cut_off: int
    late: bool
    text: str
    rule: RuleName


class ExplainedStack(Response):
    """A player's stack before and after the payments."""

    seat: int
    player: str
    before: int
    due: int
    paid: int
    after: int


class HandExplanation(Response):
    """The result of a hand, explained: every point with the deciding cards, every cap with the stacks."""

    hand: str
    round: str
    revision: int
    in_force: bool
    number: int
    button: int
    ruleset: str
    remarks: list[RuleNote]
    players: list[ExplainedPlayer]
    exchanges: list[ExplainedExchange]
    totals: list[HeadToHeadTotal]
    payments: list[ExplainedPayment]
    payment_remark: RuleNote | None
    stacks: list[ExplainedStack]


class RoundWithSettlement(Response):
    """A round and its settlement."""

    round: Round
    settlement: RoundSettlement


class LinkWarning(Response):
    """Why a new link may not work, or may be read by others."""

    code: str
    detail: str


class NewLink(Response):
    """A new link. This response is the only one that contains its secret."""

    id: str
    label: str
    kind: LinkKind
    player: str | None
    scopes: list[str]
    table: str | None
    round: str | None
    key: str
    created_at: str
    expires_at: str
    revoked_at: str | None
    last_used_at: str | None
    url: str
    board_url: str | None
    warnings: list[LinkWarning]


class Link(Response):
    """A link to a table, to a round or to the club, without its secret, which is not stored."""

    id: str
    label: str
    kind: LinkKind
    player: str | None
    scopes: list[str]
    table: str | None
    round: str | None
    key: str
    created_at: str
    expires_at: str
    revoked_at: str | None
    last_used_at: str | None


class CurrentLink(Response):
    """The link of a request, with the name of its table."""

    id: str
    label: str
    kind: LinkKind
    scopes: list[str]
    table: str | None
    round: str | None
    table_name: str | None
    expires_at: str


class ConsoleLink(Response):
    """A link that signs in to the console once. This response is the only one that contains its address."""

    id: str
    url: str
    expires_at: str
    warnings: list[LinkWarning]


class PhoneLink(Response):
    """A link that signs a phone in once. This response is the only one that contains its address."""

    id: str
    url: str
    expires_at: str
    warnings: list[LinkWarning]


class Scorekeeper(Response):
    """A device on which a hand is being entered."""

    device: str
    label: str
    hand: int


class Unit(Response):
    """A unit of amounts."""

    code: str
    name: str
    digits: int
    defined_at: str | None


class JobProgress(Response):
    """The progress of a job."""

    done: int
    total: int | None


class ImportSummary(Response):
    """The results of an import so far."""

    rounds: int
    replayed: int
    refused: int
    hands: int


class Import(Response):
    """An import: a job that stores rounds, one per line. Its progress counts lines that are not blank."""

    id: str
    state: JobState
    progress: JobProgress
    created_at: str
    started_at: str | None
    ended_at: str | None
    failure: str | None
    summary: ImportSummary


class LedgerLine(Response):
    """Who owes whom an amount by an entry of the journal."""

    id: str
    line: int
    position: int | None
    kind: EntryKind
    posted_at: str
    played_at: str
    table: str | None
    table_name: str | None
    round: str | None
    reference: str | None
    hand: int | None
    revision: int | None
    previous_revision: int | None
    payer: str | None
    payee: str | None
    due: int | None
    paid: int | None
    limited_by: LimitedBy | None
    amount: int
    unit: str
    unit_digits: int
    actor: str | None
    note: str | None
    reverses: str | None
    final: bool


class SettledBalance(Response):
    """What rounds add to a balance, by the state of their settlements now."""

    final: int
    provisional: int
    disputed: int


class Balance(Response):
    """What a player is owed or, below zero, owes."""

    player: str | None
    balance: int
    settled: SettledBalance
    payments: int
    charges: int


class SettlingPayment(Response):
    """A payment that settles balances."""

    payer: str | None
    payee: str | None
    amount: int


class UnitBalances(Response):
    """The balances in one unit."""

    unit: str
    unit_digits: int
    table_name: str | None
    players: list[Balance]
    settle_up: list[SettlingPayment]
    payments_are: PaymentPlan


class Balances(Response):
    """What everyone in a club is owed or owes, unit by unit."""

    as_of: str | None
    open_rounds: int
    units: list[UnitBalances]


class PlayerAtTable(Response):
    """What a player won or lost at a table."""

    rounds: int
    top_ups: int
    net: int
    money: dict[str, int]
    charges: dict[str, int]
    table: str
    table_name: str


class PlayerInClub(Response):
    """What a player won or lost, in total and at each table."""

    rounds: int
    top_ups: int
    net: int
    money: dict[str, int]
    charges: dict[str, int]
    player: str
    tables: list[PlayerAtTable]


class ClubStatement(Response):
    """The players' results over several tables, and the payments that settle them up."""

    to: str | None
    rounds: int
    open_rounds: int
    unit_digits: dict[str, int]
    payments: StatementPayments
    payments_are: PaymentPlan
    players: list[PlayerInClub]


class RecordedPayment(Response):
    """A recorded payment. The ledger has its note."""

    id: str
    recorded_at: str
    unit: str
    unit_digits: int
    amount: int
    reference: str
    payer: str | None
    payee: str | None
    paid_at: str
    table: str | None
    round: str | None
    claim: str | None


class Reversal(Response):
    """A recorded reversal of a payment or charge."""

    id: str
    recorded_at: str
    reverses: str


class RecordedCharge(Response):
    """A recorded charge. The ledger has its reason."""

    id: str
    recorded_at: str
    unit: str
    unit_digits: int
    amount: int
    reference: str
    player: str
    table: str | None
    round: str | None


class PaymentClaim(Response):
    """A claim of a player to have paid. It is no payment, and in no balance, until it is confirmed."""

    id: str
    claimed_at: str
    payer: str
    payee: str | None
    unit: str
    unit_digits: int
    amount: int
    paid_at: str
    table: str | None
    round: str | None
    reference: str
    state: PaymentClaimState
    ended_at: str | None
    payment: str | None
    reason: str | None


class PointsPerHand(Response):
    """The mean of a player's points in a hand, with an interval that contains the true mean in 95 % of cases."""

    mean: float
    low: float | None
    high: float | None


class RoyaltiesByRow(Response):
    """Royalties by row."""

    top: int
    middle: int
    bottom: int


class PlayerStatistics(Response):
    """Statistics of a player."""

    player: str
    rounds: int
    hands: int
    points: int
    points_per_hand: PointsPerHand | None
    fouls: int
    fantasyland_entered: int
    fantasyland_stayed: int
    royalties: RoyaltiesByRow
    scoops: int
    not_received: int
    not_paid: int


class Statistics(Response):
    """Statistics of players."""

    to: str | None
    players: list[PlayerStatistics]


class PlotOthers(Response):
    """The values of the players who are left out, at each place."""

    figures: list[float | None]
    lows: list[float | None] | None
    highs: list[float | None] | None


class PlotPlace(Response):
    """A place of a plot: a hand, a round, a period, a player or a range of points. Other fields are null."""

    round: str | None
    hand: int | None
    opened_at: str | None
    player: str | None
    first: str | None
    last: str | None
    low: int | None
    high: int | None
    hands: int | None
    fouls: int | None


class PlotSeries(Response):
    """The values of a player, or of a source of points, at each place."""

    name: str
    figures: list[float | None]
    lows: list[float | None] | None
    highs: list[float | None] | None


class Plot(Response):
    """The figures of a plot."""

    name: PlotName
    to: str | None
    omitted_players: int
    others: PlotOthers | None
    places: list[PlotPlace]
    series: list[PlotSeries]


class Cosignature(Response):
    """The cosignature of a witness: at that time, the tree had only grown."""

    witness: str
    cosigned_at: str


class Checkpoint(Response):
    """A checkpoint of the club's tree of events. Its signed note is public at `/v1/checkpoints/{id}`."""

    id: str
    size: int
    root: str
    created_at: str
    sealed: ProvedEvent
    cosignatures: list[Cosignature]


class CheckpointConsistencyProof(Response):
    """An RFC 6962 consistency proof: the newer tree only adds events to the older one."""

    to: int
    proof: list[str]


class CheckpointInclusionProof(Response):
    """An RFC 6962 inclusion proof: the tree has the event at the position."""

    position: int
    size: int
    proof: list[str]


class CheckpointKey(Response):
    """A public key that signed checkpoints."""

    name: str
    id: str
    verifier: str
    first_used_at: str


class RecomputationScope(Response):
    """Filters of the rounds to recompute. A round must match every filter; without filters, every round matches."""


class PointChange(Response):
    """The change of a player's net points of one worth."""

    point_value: int | None
    unit: str | None
    table: str | None
    net: int


class PlayerChange(Response):
    """What a player gains or loses by new revisions of rounds."""

    player: str
    points: list[PointChange]
    money: dict[str, int]


class RecomputationSummary(Response):
    """The results of a recomputation so far."""

    rounds: int
    hands: int
    differing: int
    applied: int
    skipped: int
    tables: int
    changing: int
    changing_final: int
    players: int
    net_moved: dict[str, int]
    moved: list[PlayerChange]
    unit_digits: dict[str, int]
    payments: StatementPayments
    payments_are: PaymentPlan
    digest: str


class Recomputation(Response):
    """A recomputation: a job that replays stored rounds and compares the results. Its progress counts hands."""

    id: str
    state: JobState
    progress: JobProgress
    created_at: str
    started_at: str | None
    ended_at: str | None
    failure: str | None
    summary: RecomputationSummary
    scope: RecomputationScope
    mode: RecomputationMode
    ruleset: str | None
    reason: str | None
    final: bool
    audit: str | None


class RecomputationDifference(Response):
    """A difference between a stored and an expected value, or what the recomputation did about it."""

    round: str | None
    hand: int | None
    kind: str
    column: str | None
    stored: Any
    expected: Any
    detail: str | None


class ProposalEnd(Response):
    """How a proposal ended."""

    at: str
    by: str
    key: str
    reason: str | None
    revision: int | None
    recomputation: str | None


class ProposalWithChanges(Response):
    """A proposal with what it changes."""

    id: str
    kind: ProposalKind
    state: ProposalState
    round: str | None
    table: str | None
    revision: int | None
    dispute: str | None
    upholds: bool
    audit: str | None
    reason: str | None
    digest: str
    by: str
    key: str
    proposed_at: str
    end: ProposalEnd | None
    comparison: RoundComparison | None


class Proposal(Response):
    """A proposed change of a final settlement."""

    id: str
    kind: ProposalKind
    state: ProposalState
    round: str | None
    table: str | None
    revision: int | None
    dispute: str | None
    upholds: bool
    audit: str | None
    reason: str | None
    digest: str
    by: str
    key: str
    proposed_at: str
    end: ProposalEnd | None


class Webhook(Response):
    """A webhook of the club, without its secret."""

    id: str
    url: str
    kinds: list[WebhookKind]
    description: str | None
    state: WebhookState
    disabled_because: WebhookDisabledBecause | None
    failing_since: str | None
    previous_secret_until: str | None
    created_at: str


class WebhookSecret(Response):
    """The secret that signs the messages of a webhook."""

    secret: str


class Delivery(Response):
    """A message to a webhook, and the state of its delivery."""

    id: str
    kind: MessageKind
    round: str | None
    state: DeliveryState
    attempts: int
    next_attempt_at: str | None
    last_status: int | None
    last_error: str | None
    created_at: str
    ended_at: str | None


class Club(Response):
    """The club of the key."""

    name: str
    time_zone: str
    evening_begins: str
    second_auditor: bool


class NewApiKey(Response):
    """A new API key. This response is the only one that contains its secret."""

    id: str
    prefix: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    player: str | None
    created_by: str | None
    secret: str


class ApiKey(Response):
    """An API key of the club, without its secret, which is not stored."""

    id: str
    prefix: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    player: str | None
    created_by: str | None


class FoundId(Response):
    """An id that ends with the given characters."""

    kind: IdKind
    id: str
    description: str


class Health(Response):
    """Health check: the process responds."""

    status: str
    version: str


class Readiness(Response):
    """Readiness check: the database responds and has every migration."""

    status: str
