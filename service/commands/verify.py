import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import click
import psycopg
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from sqlalchemy.exc import SQLAlchemyError

from evidence import Checkpoint, EvidenceError, VerifierKey, digest_of, read_note
from service.audit_trail.actions import origin_of
from service.audit_trail.signing import read_signing_keys
from service.commands.database_owner import open_as_owner
from service.commands.options import NamedPath, data_option
from service.commands.output import file_exists, print_message, resolve, write_atomically
from service.commands.signing_key import configured_key_file
from service.db import Database
from service.errors import OperatorError, ServiceError
from service.replays.findings import MEANS, Finding, FindingKind, dump_value
from service.verification.damage import check_published_keys, check_schema, has_published_keys
from service.verification.queries import results
from service.verification.queries.findings import MOST_STORED, StoredFinding
from service.verification.queries.places import find_places
from service.verification.queries.results import VerificationResult
from service.verification.sentences import HIDDEN, NOWHERE, Places, describe_finding, find_round
from service.verification.verify_database import (
    Page,
    Pass,
    Position,
    begin,
    count_events,
    list_clubs,
    verify_database,
)
from service.verification.verify_in_parallel import verify_in_parallel

FOUND: Final = 1
INCOMPLETE: Final = 3
PASSES: Final = 2
"""Every event is counted twice: in its chain and in the tree."""


_WORTH_A_PROCESS: Final = 20_000
"""Fewer events are verified before another process has started."""


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command()
@click.option(
    "--checkpoint",
    "notes",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A checkpoint that was retained elsewhere; at least one of each club.",
)
@click.option(
    "--resume",
    "saved",
    type=NamedPath(dir_okay=False, path_type=Path),
    help="Save progress in this file, and resume from it.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=_cores,
    show_default="number of processor cores",
    help="Number of processes.",
)
@click.option("--store-result", "stores_result", is_flag=True, help="Store the result of each club for its console.")
@click.option("--json", "as_json", is_flag=True, help="Print each finding as a line of JSON, and a summary last.")
@data_option
@click.pass_context
def verify(
    context: click.Context,
    notes: tuple[Path, ...],
    saved: Path | None,
    jobs: int,
    stores_result: bool,
    as_json: bool,
    directory: Path | None,
) -> None:
    """
    Find records that were changed without the service.

    Every event is compared with its hash and with the event before it, every record with the event that made it, every
    result with the round replayed from the cards, and the tree with every checkpoint. The schema is compared with the
    schema of this release, and the published keys with the configured signing key. The service may run meanwhile.

    Each finding is printed on one line: what is wrong in words, and its kind, table, record and column. With --json it
    has the whole stored and expected value.

    Whoever can change the whole database can rewrite it as if the last events had never happened. Only a checkpoint
    that was retained elsewhere shows that.

    Records, schema and privileges are only read, also where the service is stopped: nothing is migrated, and a database
    of another release is refused. With --store-result each club's console shows the result and its findings; nothing
    else is written.

    With --resume a run that was killed continues where it stopped. Its last findings may be printed twice; they are
    counted once.

    \b
    Exit codes:
      0  no findings
      1  findings
      3  no findings, but something could not be verified; stderr says what

    \b
    Examples:
      ofc-server verify --checkpoint home.checkpoint
      ofc-server verify --resume verify.state --json > findings.ndjson
    """
    checkpoints, state = [_read_checkpoint(path) for path in notes], _State.read(saved)
    signing_keys = _read_signing_keys(directory)
    with open_as_owner(directory, only_reads=True) as database:
        if state.position is None:
            with database.reading_outside_clubs() as connection:
                state.report(list(check_schema(connection)), as_json)
        clubs = list_clubs(database)
        events_of = {club: count_events(database, [club]) for club in clubs}
        events = sum(events_of.values())
        with _progress(PASSES * events, state.events) as advance:
            position = begin(clubs, state.position)
            for page in _select_verifier(jobs, events)(database, clubs, checkpoints, state.position):
                club_id = None if position is None else position.club_id
                state.report(page.findings, as_json, club_id, find_places(database, club_id, page.findings))
                position = page.position
                state.add(page)
                state.save(saved)
                advance(page.events)
        with database.reading_outside_clubs() as connection:
            are_keys_unchecked = signing_keys is None and has_published_keys(connection)
            if signing_keys is not None:
                state.report(list(check_published_keys(connection, signing_keys)), as_json)
        lacking = _lacking(clubs, checkpoints)
        if stores_result:
            _store_results(database, state, state.results(events_of, clubs if are_keys_unchecked else lacking))
    if saved is not None:
        resolve(saved).unlink(missing_ok=True)
    _conclude(context, state, events, _unchecked(lacking, are_keys_unchecked), as_json)


def _select_verifier(jobs: int, events: int) -> Callable[..., Iterator[Page]]:
    """Return the function that verifies this number of events, in as many processes as are worth it."""
    processes = min(jobs, 1 + events // _WORTH_A_PROCESS)
    return verify_database if processes == 1 else partial(verify_in_parallel, processes=processes)


def _read_signing_keys(directory: Path | None) -> tuple[VerifierKey, ...] | None:
    """Return the public keys of the configured signing key and of earlier ones; None where none is configured."""
    file = configured_key_file(directory)
    return None if file is None or not file_exists(file) else read_signing_keys(file).verifiers


def _read_checkpoint(path: Path) -> Checkpoint:
    """
    Read a checkpoint, which is trusted without its signatures.

    Raises:
        OperatorError: the file is not a checkpoint.
    """
    try:
        return Checkpoint.read(read_note(path.read_text(encoding="utf-8")).text)
    except (UnicodeDecodeError, EvidenceError) as error:
        raise OperatorError(f"{path} is not a checkpoint: {error}.") from error


def _lacking(clubs: Iterable[UUID], checkpoints: Iterable[Checkpoint]) -> list[UUID]:
    """Return the clubs of which a checkpoint is expected and none was given."""
    origins = {checkpoint.origin for checkpoint in checkpoints}
    return [club for club in clubs if origin_of(club) not in origins]


def _store_results(database: Database, state: "_State", club_results: Mapping[UUID, VerificationResult]) -> None:
    """Store the results of all clubs. Where the database cannot be written, print why."""
    failure: Exception | None = None
    for club_id, result in club_results.items():
        try:
            with database.transaction(club_id) as transaction:
                results.store(transaction, result, state.list_findings(club_id))
        except (ServiceError, SQLAlchemyError, psycopg.Error) as error:
            failure = error
    if failure is not None:
        reason, *_ = str(failure).splitlines()
        print_message(f"The result is not stored for the console: {reason}")


def _unchecked(lacking: list[UUID], are_keys_unchecked: bool) -> list[str]:
    """Return what could not be verified: without a retained checkpoint of clubs, and without a signing key."""
    unchecked: list[str] = []
    if lacking:
        whose = ", ".join(map(origin_of, lacking[:3])) + (f" and {len(lacking) - 3} more" if len(lacking) > 3 else "")
        unchecked.append(
            f"whether the newest events and their records were cut off: no checkpoint was given for {whose}"
        )
    if are_keys_unchecked:
        unchecked.append("whether the published keys belong to the service: no signing key is configured")
    return unchecked


@dataclass(slots=True)
class _State:
    """
    The progress, and what was found so far.

    Attributes:
        counts: the number of findings of each kind.
        wrong: the number of findings in each club, by its ID, and in what all clubs share, by an empty text.
        stored: the first of these findings in words, likewise.
    """

    position: Position | None = None
    events: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    wrong: Counter[str] = field(default_factory=Counter[str])
    stored: defaultdict[str, list[StoredFinding]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def read(cls, path: Path | None) -> "_State":
        """
        Read the progress of an earlier run; the beginning where there is no file.

        Raises:
            OperatorError: the file is not a progress file.
        """
        if path is None or not file_exists(path):
            return cls()
        try:
            saved = json.loads(path.read_bytes())
            at = saved["position"]
            position = Position(UUID(at["club"]), Pass(at["pass"]), UUID(at["after"]))
            stored = defaultdict(list, {club: [*map(_load, each)] for club, each in saved["findings"].items()})
            return cls(position, int(saved["events"]), Counter(saved["found"]), Counter(saved["wrong"]), stored)
        except (ValueError, KeyError, TypeError) as error:
            raise OperatorError(
                f"{path} is not a progress file of `ofc-server verify`; expected another file."
            ) from error

    def add(self, page: Page) -> None:
        """Add a page."""
        self.position = page.position
        self.events += page.events

    def report(
        self, findings: Sequence[Finding], as_json: bool, club_id: UUID | None = None, places: Places = NOWHERE
    ) -> None:
        """Print findings of a club, or of what all clubs share, one on a line, and count them."""
        club = str(club_id or "")
        for finding in findings:
            sentence = describe_finding(finding, places)
            place = _name_place(finding)
            if as_json:
                click.echo(json.dumps({**_dump(finding), "sentence": sentence}))
            else:
                click.echo(f"{sentence}  {click.style(f'{finding.kind}: {place}', dim=True)}")
            self.counts[finding.kind.value] += 1
            if finding.kind is not FindingKind.SCHEMA_EXTENDED:
                self.wrong[club] += 1
                if len(self.stored[club]) < MOST_STORED:
                    self.stored[club].append(_store(finding, place, sentence, places))

    def list_findings(self, club_id: UUID) -> list[StoredFinding]:
        """List the first findings of a club, beginning with those of what all clubs share."""
        return [*self.stored[""], *self.stored[str(club_id)]][:MOST_STORED]

    def results(self, events: Mapping[UUID, int], incomplete: Collection[UUID]) -> dict[UUID, VerificationResult]:
        """Return the result of each club, whose events were counted."""
        now, shared = datetime.now(UTC), self.wrong[""]
        return {
            club: VerificationResult(now, count, shared + self.wrong[str(club)], club not in incomplete)
            for club, count in events.items()
        }

    def save(self, path: Path | None) -> None:
        """Save the progress atomically, after the findings were printed."""
        if path is None or self.position is None:
            return
        sys.stdout.flush()
        at = self.position
        position = {"club": str(at.club_id), "pass": at.passing.value, "after": str(at.after)}
        state = {
            "position": position,
            "events": self.events,
            "found": self.counts,
            "wrong": self.wrong,
            "findings": {club: [asdict(each) for each in stored] for club, stored in self.stored.items()},
        }
        write_atomically(path, json.dumps(state, default=dump_value))


@contextmanager
def _progress(total: int, done: int) -> Iterator[Any]:
    """Show a progress bar while the block runs, on a terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        row = progress.add_task("Verifying", total=total, completed=done)
        yield lambda events: progress.advance(row, events)


def _conclude(context: click.Context, state: _State, events: int, unchecked: list[str], as_json: bool) -> None:
    wrong = state.wrong.total()
    code = FOUND if wrong else INCOMPLETE if unchecked else 0
    if as_json:
        summary = {"events": events, "found": state.counts, "unchecked": unchecked}
        click.echo(json.dumps({"summary": summary}))
    for kind in FindingKind:
        if state.counts[kind]:
            print_message(f"{state.counts[kind]} {kind}: {MEANS[kind]}")
    print_message(f"Verified {events} events and their records: {wrong} finding{'' if wrong == 1 else 's'}.")
    for sentence in unchecked:
        print_message(f"INCOMPLETE: not verified: {sentence}.")
    context.exit(code)


def _name_place(finding: Finding) -> str:
    """Return the table, the key and the column of a finding."""
    key = " ".join(f"{name}={value}" for name, value in dump_value(finding.key).items())
    place = f"{finding.table} {key}".rstrip()
    return place if finding.column is None else f"{place}: {finding.column}"


def _store(finding: Finding, place: str, sentence: str, places: Places) -> StoredFinding:
    """Return a finding as it is stored: with a digest of all that it says, except texts that can be erased."""
    dumped = _dump(finding)
    if (finding.table, finding.column) in HIDDEN:
        dumped |= {"stored": None, "expected": None}
    round_id, number = find_round(finding, places)
    hand = None if finding.table == "events" else number
    return StoredFinding(digest_of(dumped), finding.kind.value, place, sentence, round_id, hand)


def _load(saved: Mapping[str, Any]) -> StoredFinding:
    round_id = saved["round_id"] and UUID(saved["round_id"])
    return StoredFinding(**{**saved, "digest": bytes.fromhex(saved["digest"]), "round_id": round_id})


def _dump(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "table": finding.table,
        "key": dump_value(finding.key),
        "column": finding.column,
        "stored": dump_value(finding.stored),
        "expected": dump_value(finding.expected),
        "detail": finding.detail,
    }
