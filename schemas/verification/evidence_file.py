"""Verify an evidence file from its content alone, without a service and without a network."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from evidence import Event, EvidenceError, VerifierKey
from evidence.events import EventPayload, RulesetAdded, decode_event
from evidence.files import EvidenceFile, decode_file
from evidence.fold import FoldedRound, StoredEvent, find_table, fold_round
from evidence.policy import Policy
from schemas.base import WireError
from schemas.rulesets import dump_ruleset, load_ruleset
from schemas.verification.figures import check_figures
from schemas.verification.findings import Finding, FindingCode
from schemas.verification.proofs import SignedTree, check_chain, check_tree, read_events
from schemas.verification.report import Report
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset


def verify(
    received: Mapping[str, Any],
    keys: Sequence[VerifierKey] = (),
    retained: SignedTree | None = None,
    policy: Policy | None = None,
) -> Report:
    """
    Verify an evidence file: its events, their proofs, the signatures, and every figure that follows from them.

    Args:
        received: the file, decoded.
        keys: the service's public keys from another source; without any, those of the file are used and reported so.
        retained: an earlier checkpoint, or one from another source, which the file's must be consistent with.
        policy: the logs and witnesses that must have signed the checkpoint; cosignatures of the retained checkpoint
            count if it is the same one.
    """
    report = Report()
    try:
        file = decode_file(received)
    except EvidenceError as error:
        report.fail(error.mistakes)
        return report
    events, related = read_events(report, file.events, "events"), read_events(report, file.related, "related")
    check_tree(report, file, keys, retained, policy)
    if report.failed and (len(events), len(related)) != (len(file.events), len(file.related)):
        return report
    check_chain(report, file, events)
    try:
        round_ = fold_round(file.round, [_stored(index, event) for index, event in enumerate(events)])
    except EvidenceError as error:
        report.fail(error.mistakes)
        return report
    report.names = {seat.seat: seat.player for seat in round_.newest.seats}
    for index in round_.unknown:
        report.unchecked.append(f"#/events/{index}: this release does not know the kind {events[index].kind!r}")
    payloads = _decode_related(report, file, related)
    rulesets = _check_rulesets(report, file, round_, [payload for _, payload in payloads])
    table = _check_table(report, round_, payloads, events[0].id)
    if rulesets is not None and table is not None:
        check_figures(report, file.revisions, round_, rulesets, table, _check_texts(report, file, round_))
    return report


def _check_texts(report: Report, file: EvidenceFile, round_: FoldedRound) -> Mapping[bytes, str]:
    """Return the reasons in the file by their digests, which the events must have; erased ones are absent."""
    named = {digest for revision in round_.revisions for digest in revision.list_reasons()}
    texts = {each.digest: each.text for each in file.texts}
    for index, each in enumerate(file.texts):
        if each.digest not in named:
            detail = f"no event has its digest {each.digest.hex()}"
            report.failed.append(Finding(FindingCode.TEXT_UNKNOWN, ("texts", index), detail))
    if erased := len(named - texts.keys()):
        counted = "1 reason is" if erased == 1 else f"{erased} reasons are"
        report.verified.append(f"{counted} not in the file, because of an erasure; the events have the digests")
    return texts


def _stored(index: int, event: Event) -> StoredEvent:
    return StoredEvent(event.sequence or index + 1, event.kind, event.at, event.content)


def _decode_related(report: Report, file: EvidenceFile, related: Sequence[Event]) -> list[tuple[UUID, EventPayload]]:
    """Return the ids and payloads of the club's own events of no round; one that cannot be decoded is reported."""
    payloads = []
    for index, event in enumerate(related):
        try:
            payload = decode_event(event.kind, event.content)
        except EvidenceError as error:
            report.fail(error.mistakes, "related", index)
            continue
        if payload is not None and event.club == file.club:
            payloads.append((event.id, payload))
    return payloads


def _check_table(
    report: Report, round_: FoldedRound, related: Sequence[tuple[UUID, EventPayload]], opening: UUID
) -> str | None:
    """Return the name that the table had when the round was opened."""
    table = find_table(round_.opening.table, related, opening)
    if table is not None:
        return table.name
    detail = f"the event that created table {round_.opening.table} is missing"
    report.failed.append(Finding(FindingCode.TABLE_MISSING, ("related",), detail))
    return None


def _check_rulesets(
    report: Report, file: EvidenceFile, round_: FoldedRound, related: Sequence[EventPayload]
) -> dict[str, Ruleset] | None:
    """Return the rulesets of the events that added them, which the events of the round reference by their digest."""
    wrong = len(report.failed)
    added: dict[str, tuple[bytes, Mapping[str, Any]]] = {}
    for event in related:
        if isinstance(event, RulesetAdded):
            document = event.document
            added[f"{document.get('name')}@{document.get('version')}"] = sha256(event.ruleset).digest(), document
    rulesets: dict[str, Ruleset] = {}
    nothing: tuple[bytes, Mapping[str, Any]] = b"", {}
    for revision in round_.revisions:
        name = revision.ruleset
        digest, content = added.get(name, nothing)
        if digest != revision.ruleset_digest:
            value = f"the ruleset {name} with the digest {digest.hex()}" if digest else f"no ruleset {name}"
            expected = f"one with the digest {revision.ruleset_digest.hex()}"
            report.failed.append(Finding.of_difference(FindingCode.RULESET_DIFFERS, ("related",), value, expected))
        try:
            rulesets[name] = load_ruleset(content)
        except (WireError, ScoringError) as error:
            report.fail(error.mistakes, "related")
    expected_rulesets = [dump_ruleset(rulesets[name]) for name in sorted(rulesets)]
    report.compare(list(file.rulesets), expected_rulesets, ("rulesets",), FindingCode.RULESET_DIFFERS)
    if len(report.failed) > wrong:
        return None
    report.verified.append(
        f"the rules are those of {', '.join(sorted(rulesets))}, with the content that the events name"
    )
    return rulesets
