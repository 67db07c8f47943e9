"""What happened, for each kind of event, as the part of a sentence after who did it."""

import json
from collections.abc import Sequence
from datetime import timedelta
from functools import singledispatch
from typing import Final
from uuid import UUID

from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    CheckpointSealed,
    ClubChanged,
    ClubCreated,
    DepartureRecorded,
    DisputeCommented,
    DisputeOpened,
    DisputeResolved,
    DisputeReviewed,
    DisputeWithdrawn,
    EventPayload,
    FinalReason,
    FindingsAcknowledged,
    HandRecorded,
    HandWithdrawn,
    KeyCreated,
    KeyRevoked,
    LinkIssued,
    LinkRevoked,
    MetadataChanged,
    MetadataOf,
    PaymentClaimDeclined,
    PaymentClaimed,
    PaymentClaimWithdrawn,
    PaymentRecorded,
    PaymentReversed,
    PlayerErased,
    PlayerJoined,
    PlayerNamed,
    PlayerParted,
    ProposalConfirmed,
    ProposalOpened,
    ProposalWithdrawn,
    RoundClosed,
    RoundCorrected,
    RoundOpened,
    RoundRecomputed,
    RulesetAdded,
    SettlementConfirmed,
    SettlementFinalized,
    TableChanged,
    TableCreated,
    TextsErased,
    UnitDefined,
    WebhookAdded,
    WebhookChanged,
    WebhookRemoved,
    WebhookSecretRotated,
)
from service.console.views.trail.names import TrailNames
from service.http.formats import format_duration


@singledispatch
def phrase(payload: EventPayload, _names: TrailNames) -> str:
    """
    Return what happened, for example "upheld ben's dispute of hand 1 at quick".

    Raises:
        NotImplementedError: the kind of event has no phrase, which a test would find first.
    """
    raise NotImplementedError(payload.kind)


@phrase.register
def _club_created(payload: ClubCreated, names: TrailNames) -> str:
    return f"created the club {names.name(payload.name)}"


@phrase.register
def _club_changed(payload: ClubChanged, _names: TrailNames) -> str:
    auditors = "; a second auditor confirms changes of final settlements" if payload.second_auditor else ""
    return f"set the time zone {payload.time_zone} and the beginning of evenings {payload.evening_begins}{auditors}"


@phrase.register
def _checkpoint_sealed(_payload: CheckpointSealed, _names: TrailNames) -> str:
    return "signed a checkpoint of all events before this one"


@phrase.register
def _key_created(payload: KeyCreated, names: TrailNames) -> str:
    name = names.actor(payload.key, payload.prefix)
    player = "" if payload.player is None else f" of {names.player(payload.player)}"
    old = "" if payload.replaces is None else f" in place of {names.actor(payload.replaces, 'another key')}"
    return f"created the key {name}{player}{old}"


@phrase.register
def _key_revoked(payload: KeyRevoked, names: TrailNames) -> str:
    name = names.actor(payload.key, payload.prefix)
    left = format_duration(timedelta(seconds=payload.overlap_seconds))
    return f"revoked the key {name}" + (f", which is valid for {left} more" if payload.overlap_seconds else "")


@phrase.register
def _webhook_added(payload: WebhookAdded, names: TrailNames) -> str:
    return f"added a webhook to {names.name(payload.host)}"


@phrase.register
def _webhook_changed(payload: WebhookChanged, names: TrailNames) -> str:
    return f"changed the webhook to {names.name(payload.host)}, which is {payload.state}"


@phrase.register
def _webhook_removed(payload: WebhookRemoved, names: TrailNames) -> str:
    return f"removed the webhook to {names.name(payload.host)}"


@phrase.register
def _webhook_secret_rotated(payload: WebhookSecretRotated, names: TrailNames) -> str:
    return f"replaced the secret of the webhook to {names.name(payload.host)}"


@phrase.register
def _link_issued(payload: LinkIssued, names: TrailNames) -> str:
    place = _place(payload.table, names) if payload.round is None else f"a round {names.at(payload.round)}"
    player = "" if payload.player is None else f"of {names.player(payload.player)}"
    return _join("issued the", payload.link_kind, "link", names.actor(payload.link, ""), player, "to", place)


@phrase.register
def _link_revoked(payload: LinkRevoked, names: TrailNames) -> str:
    return _join("revoked the link", names.actor(payload.link, ""), "to", _place(payload.table, names))


def _place(table_id: UUID | None, names: TrailNames) -> str:
    return "the club" if table_id is None else f"the table {names.table(table_id)}"


def _join(*words: str) -> str:
    return " ".join(filter(None, words))


@phrase.register
def _player_named(payload: PlayerNamed, names: TrailNames) -> str:
    return f"set the display name of {names.player(payload.player)}"


@phrase.register
def _player_erased(payload: PlayerErased, names: TrailNames) -> str:
    return f"erased the name of {names.player(payload.player)}{_texts(payload.texts, ' and')}"


@phrase.register
def _player_joined(payload: PlayerJoined, names: TrailNames) -> str:
    return f"joined the ID {names.name(payload.alias)} to {names.name(payload.player)}"


@phrase.register
def _player_parted(payload: PlayerParted, names: TrailNames) -> str:
    return f"parted the ID {names.name(payload.alias)} from {names.name(payload.player)}"


@phrase.register
def _unit_defined(payload: UnitDefined, names: TrailNames) -> str:
    return f"defined the unit {names.name(payload.code)}, {names.name(payload.name)}"


@phrase.register
def _texts_erased(payload: TextsErased, names: TrailNames) -> str:
    return f"erased{_texts(payload.texts)} of {names.record(payload.record)}"


@phrase.register
def _metadata_changed(payload: MetadataChanged, names: TrailNames) -> str:
    return f"{'removed' if payload.metadata is None else 'set'} the metadata of {_owner(payload, names)}"


@phrase.register
def _ruleset_added(payload: RulesetAdded, _names: TrailNames) -> str:
    document = payload.document
    return f"added the ruleset {document.get('name')}@{document.get('version')}"


@phrase.register
def _table_created(payload: TableCreated, names: TrailNames) -> str:
    return f"created the table {names.name(payload.name)} for {payload.ruleset}"


@phrase.register
def _table_changed(payload: TableChanged, names: TrailNames) -> str:
    what = "changed" if payload.archived_at is None else "archived"
    return f"{what} the table {names.name(payload.name)}"


@phrase.register
def _round_opened(payload: RoundOpened, names: TrailNames) -> str:
    players = names.players(seat.player for seat in payload.seats)
    return f"{'imported' if payload.imported else 'opened'} a round {names.at(payload.round)} with {players}"


@phrase.register
def _findings_acknowledged(payload: FindingsAcknowledged, _names: TrailNames) -> str:
    number = len(payload.findings)
    return f"acknowledged {number} finding{'' if number == 1 else 's'} of a verification"


@phrase.register
def _hand_recorded(payload: HandRecorded, names: TrailNames) -> str:
    number = json.loads(payload.hand)["number"]
    again = ", which was undone before" if payload.restores else ""
    played = ", accepted as played" if payload.irregular else ""
    return f"recorded hand {number} {names.at(payload.round)}{again}{played}"


@phrase.register
def _hand_withdrawn(payload: HandWithdrawn, names: TrailNames) -> str:
    return f"undid hand {payload.number} {names.at(payload.round)}"


@phrase.register
def _departure_recorded(payload: DepartureRecorded, names: TrailNames) -> str:
    player = names.seat(payload.round, payload.seat)
    return f"recorded that {player} left after hand {payload.after_hand} {names.at(payload.round)}"


@phrase.register
def _round_closed(payload: RoundClosed, names: TrailNames) -> str:
    return f"closed the round {names.at(payload.round)} after hand {payload.after_hand}"


@phrase.register
def _round_corrected(payload: RoundCorrected, names: TrailNames) -> str:
    dispute = "" if payload.dispute is None else f" for {names.dispute(payload.dispute)}"
    return f"corrected {_corrected(payload)} {names.at(payload.round)}{dispute}"


@phrase.register
def _round_recomputed(payload: RoundRecomputed, names: TrailNames) -> str:
    return f"recomputed the round {names.at(payload.round)} under {payload.ruleset}"


@phrase.register
def _settlement_confirmed(payload: SettlementConfirmed, names: TrailNames) -> str:
    player = names.seat(payload.round, payload.seat)
    return f"confirmed the settlement {names.at(payload.round)} for {player}"


@phrase.register
def _settlement_finalized(payload: SettlementFinalized, names: TrailNames) -> str:
    return f"made the settlement {names.at(payload.round)} final: {_FINAL[payload.because]}"


@phrase.register
def _dispute_opened(payload: DisputeOpened, names: TrailNames) -> str:
    whose = "" if payload.by is None else f"opened {names.player(payload.by)}'s dispute of"
    what = names.disputed(payload.round, payload.hand, payload.seat, None if payload.row is None else payload.row.value)
    return f"{whose or 'disputed'} {what}"


@phrase.register
def _dispute_commented(payload: DisputeCommented, names: TrailNames) -> str:
    return f"commented on {names.dispute(payload.dispute)}"


@phrase.register
def _dispute_reviewed(payload: DisputeReviewed, names: TrailNames) -> str:
    return f"started the review of {names.dispute(payload.dispute)}"


@phrase.register
def _dispute_resolved(payload: DisputeResolved, names: TrailNames) -> str:
    return f"{payload.step} {names.dispute(payload.dispute)}"


@phrase.register
def _dispute_withdrawn(payload: DisputeWithdrawn, names: TrailNames) -> str:
    return f"withdrew {names.dispute(payload.dispute)}"


@phrase.register
def _payment_recorded(payload: PaymentRecorded, names: TrailNames) -> str:
    verb = "recorded" if payload.claim is None else "confirmed"
    return f"{verb} that {_paid(payload, names)}"


@phrase.register
def _payment_reversed(payload: PaymentReversed, names: TrailNames) -> str:
    of = names.events.get(payload.payment)
    return f"took back that {_paid(of, names)}" if isinstance(of, PaymentRecorded) else "took back a payment"


@phrase.register
def _payment_claimed(payload: PaymentClaimed, names: TrailNames) -> str:
    return f"claimed that {_paid(payload, names)}"


@phrase.register
def _payment_claim_declined(payload: PaymentClaimDeclined, names: TrailNames) -> str:
    return f"declined the claim that {_claimed(payload.claim, names)}"


@phrase.register
def _payment_claim_withdrawn(payload: PaymentClaimWithdrawn, names: TrailNames) -> str:
    return f"withdrew the claim that {_claimed(payload.claim, names)}"


@phrase.register
def _charge_recorded(payload: ChargeRecorded, names: TrailNames) -> str:
    amount = names.amount(payload.amount, payload.unit, payload.unit_digits)
    return f"charged {names.player(payload.player)} {amount} for the house"


@phrase.register
def _charge_reversed(payload: ChargeReversed, names: TrailNames) -> str:
    of = names.events.get(payload.charge)
    whose = f" of {names.player(of.player)}" if isinstance(of, ChargeRecorded) else ""
    return f"took back a charge{whose}"


@phrase.register
def _proposal_opened(payload: ProposalOpened, names: TrailNames) -> str:
    return f"proposed {_proposed(payload, names)}"


@phrase.register
def _proposal_confirmed(payload: ProposalConfirmed, names: TrailNames) -> str:
    return f"confirmed the proposal {_proposal(payload.proposal, names)}"


@phrase.register
def _proposal_withdrawn(payload: ProposalWithdrawn, names: TrailNames) -> str:
    return f"withdrew or refused the proposal {_proposal(payload.proposal, names)}"


_FINAL: Final = {
    FinalReason.WINDOW: "the correction window has ended",
    FinalReason.CONFIRMED: "every player has confirmed it",
    FinalReason.IMPORT: "it was imported",
}


def _texts(digests: Sequence[bytes], link: str = "") -> str:
    """Return the number of erased texts; nothing if there are none."""
    return f"{link} {len(digests)} text{'' if len(digests) == 1 else 's'}" if digests else ""


def _owner(payload: MetadataChanged, names: TrailNames) -> str:
    """Return what has the metadata."""
    if payload.player is not None:
        return names.player(payload.player)
    if payload.of is MetadataOf.HAND and payload.round is not None and payload.record not in names.hands:
        return f"a hand {names.at(payload.round)}"
    return "a record" if payload.record is None else names.record(payload.record)


def _corrected(payload: RoundCorrected) -> str:
    """Return the hands whose records a correction replaced, or the round."""
    before = payload.hands_before
    changed = [
        str(number)
        for number, hand in enumerate(payload.hands, 1)
        if number > len(before) or before[number - 1] != hand
    ]
    if not changed or len(payload.hands) != len(before):
        return "the round"
    *others, last = changed
    return f"hands {', '.join(others)} and {last}" if others else f"hand {last}"


def _paid(payload: PaymentRecorded | PaymentClaimed, names: TrailNames) -> str:
    amount = names.amount(payload.amount, payload.unit, payload.unit_digits)
    return f"{names.player(payload.payer)} paid {names.player(payload.payee)} {amount}"


def _claimed(claim: UUID, names: TrailNames) -> str:
    of = names.events.get(claim)
    return _paid(of, names) if isinstance(of, PaymentClaimed) else "a player paid"


def _proposed(payload: ProposalOpened, names: TrailNames) -> str:
    """Return what is proposed."""
    if payload.round is None:
        return "to apply an audit"
    if payload.dispute is not None and payload.upholds:
        return f"to uphold {names.dispute(payload.dispute)} with a correction"
    return f"to correct the round {names.at(payload.round)}"


def _proposal(proposal: UUID, names: TrailNames) -> str:
    of = names.events.get(proposal)
    return _proposed(of, names) if isinstance(of, ProposalOpened) else "of a change"
