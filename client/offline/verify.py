"""Check an evidence file without a service and without a network."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from client.errors import UnreadableError
from client.offline.figures import check_figures
from client.offline.findings import Finding, Report
from client.offline.proofs import SignedTree, check_chain, check_tree, read_events, read_signed
from schemas.base import WireError
from schemas.chronicles import UNTOLD, Chronicle, read_chronicle
from schemas.evidence import Event, EvidenceError, VerifierKey
from schemas.evidence_files import EvidenceFile, load_evidence
from schemas.problems import show_pointer
from schemas.rulesets import dump_ruleset, load_ruleset
from schemas.strict_json import read_json
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset

_TABLE_CREATED = "table.created"
_RULESET_ADDED = "ruleset.added"


def read_keys(written: Sequence[str]) -> list[VerifierKey]:
    """
    Read the keys that somebody trusts.

    Raises:
        UnreadableError: one of them is none.
    """
    try:
        return [VerifierKey.read(each.strip()) for each in written]
    except EvidenceError as error:
        raise UnreadableError(f"--key: {error}") from None


def read_kept(written: str, name: str) -> SignedTree:
    """
    Read a checkpoint that somebody has kept.

    Raises:
        UnreadableError: it is none.
    """
    try:
        return read_signed(written)
    except EvidenceError as error:
        raise UnreadableError(f"{name}: {error}") from None


def verify(received: Mapping[str, Any], keys: Sequence[VerifierKey] = (), kept: SignedTree | None = None) -> Report:
    """
    Check an evidence file: its events, their proofs, who signed them, and every figure that follows from them.

    Args:
        received: the file, decoded.
        keys: the service's, as one has them from elsewhere; without any, its own are used and nobody vouches for them.
        kept: a checkpoint from before or from elsewhere, which the file's has to agree with.
    """
    report = Report()
    try:
        file = load_evidence(received)
    except WireError as error:
        report.fail(error.mistakes)
        return report
    events, related = read_events(report, file.events, "events"), read_events(report, file.related, "related")
    check_tree(report, file, keys, kept)
    if report.failed and (len(events), len(related)) != (len(file.events), len(file.related)):
        return report
    check_chain(report, file, events)
    try:
        chronicle = read_chronicle(events)
    except EvidenceError as error:
        if any(mistake.code == UNTOLD for mistake in error.mistakes):
            report.unchecked += [f"{show_pointer(mistake.path)}: {mistake.detail}" for mistake in error.mistakes]
        else:
            report.fail(error.mistakes)
        return report
    for index in chronicle.unknown:
        report.unchecked.append(f"/events/{index} is {events[index].kind}, which this release does not know")
    rulesets, table = _check_rulesets(report, file, chronicle, related), _check_table(report, file, chronicle, related)
    if rulesets is not None and table is not None:
        check_figures(report, file.revisions, chronicle, rulesets, table)
    return report


def _check_table(report: Report, file: EvidenceFile, chronicle: Chronicle, related: Sequence[Event]) -> str | None:
    """Find what the table is called."""
    for event in related:
        content = _content(event, _TABLE_CREATED, file)
        if content.get("id") == str(chronicle.table_id):
            return str(content.get("name"))
    right = f"the event that made table {chronicle.table_id}"
    report.failed.append(Finding("table-missing", ("related",), "no such event", right))
    return None


def _content(event: Event, kind: str, file: EvidenceFile) -> Mapping[str, Any]:
    """Read what an event of a kind says; nothing where it is of another kind, or no object."""
    if event.kind != kind or event.club != file.club:
        return {}
    try:
        content = read_json(event.content)
    except WireError:
        content = None
    return content if isinstance(content, dict) else {}


def _check_rulesets(
    report: Report, file: EvidenceFile, chronicle: Chronicle, related: Sequence[Event]
) -> dict[str, Ruleset] | None:
    """Read the rules from the events that added them, which the round's own events name by their digest."""
    wrong = len(report.failed)
    added: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for event in related:
        content = _content(event, _RULESET_ADDED, file)
        added[f"{content.get('name')}@{content.get('version')}"] = sha256(event.content).hexdigest(), content
    rulesets: dict[str, Ruleset] = {}
    for index, told in enumerate(chronicle.revisions):
        digest, content = added.get(told.ruleset, ("none", {}))
        if told.ruleset_digest is None:
            report.unchecked.append(f"the events do not tell the rules of revision {index + 1} in full, but their name")
        elif digest != told.ruleset_digest:
            right = f"the event that added {told.ruleset} with the digest {told.ruleset_digest}"
            report.failed.append(Finding("ruleset-differs", ("related",), f"one with the digest {digest}", right))
        try:
            rulesets[told.ruleset] = load_ruleset(content)
        except (WireError, ScoringError) as error:
            report.fail(error.mistakes, "related")
    right_ones = [dump_ruleset(rulesets[name]) for name in sorted(rulesets)]
    report.compare(list(file.rulesets), right_ones, ("rulesets",), "ruleset-differs")
    if len(report.failed) > wrong:
        return None
    report.verified.append(f"the rules are {', '.join(sorted(rulesets))}, as they were added")
    return rulesets
