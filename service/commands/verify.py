import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from evidence import Checkpoint, EvidenceError, VerifierKey, read_note
from service.commands.database_owner import open_as_owner
from service.commands.options import NamedPath, data_option
from service.commands.output import file_exists, resolve, say, write_atomically
from service.commands.signing_key import configured_key_file
from service.errors import OperatorError
from service.ledger.actions import origin_of
from service.ledger.signing import read_signing_keys
from service.verification.damage import check_published_keys, check_schema, has_published_keys
from service.verification.findings import MEANS, Finding, FindingKind
from service.verification.verify_database import Page, Pass, Position, count_events, list_clubs, verify_database
from service.verification.verify_side_by_side import verify_side_by_side

FOUND: Final = 1
INCOMPLETE: Final = 3
PASSES: Final = 2
"""Every event is counted with its chain, and in the tree."""


_WORTH_A_PROCESS: Final = 20_000
"""So many events take as long as a process takes to begin."""


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command()
@click.option(
    "--checkpoint",
    "notes",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A checkpoint that was kept elsewhere; one of every club, or several.",
)
@click.option(
    "--resume",
    "kept",
    type=NamedPath(dir_okay=False, path_type=Path),
    help="Keep in this file how far it has come, and go on from there.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=_cores,
    show_default="as many as there are processor cores",
    help="How many processes look at it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each finding as a line of JSON, and a summary last.")
@data_option
@click.pass_context
def verify(
    context: click.Context, notes: tuple[Path, ...], kept: Path | None, jobs: int, as_json: bool, directory: Path | None
) -> None:
    """
    Look for records that were changed behind the service's back.

    Every event is held against its hash and against the one before it; every record against the event that made it;
    every figure against what its round comes to, played again from the cards; and the tree against all that was signed
    of it. The schema is compared with the schema of this release, and the published keys with the signing key that is
    configured here. The service may run meanwhile.

    What is found is printed, one line each: what is wrong, the table, the record, what is there and what would be
    right.

    Who can change all of a database can write it anew as if the last events had never been. A checkpoint that was kept
    elsewhere shows that.

    With --resume a run that was killed goes on where it was. What it printed last may then be printed once more; it is
    counted once.

    \b
    Exit codes:
      0  all of it is as it was written
      1  something is not
      3  nothing was found, but not all could be checked; stderr says what

    \b
    Examples:
      ofc-server verify --checkpoint home.checkpoint
      ofc-server verify --resume verify.state --json > findings.ndjson
    """
    checkpoints, state = [_read_checkpoint(path) for path in notes], _State.read(kept)
    signing_keys = _read_signing_keys(directory)
    with open_as_owner(directory) as database:
        if state.position is None:
            with database.outside_clubs() as connection:
                state.report(check_schema(connection), as_json)
        clubs = list_clubs(database)
        events = count_events(database, clubs)
        with _progress(PASSES * events, state.events) as advance:
            processes = min(jobs, 1 + events // _WORTH_A_PROCESS)
            look = verify_database if processes == 1 else partial(verify_side_by_side, processes=processes)
            for page in look(database, clubs, checkpoints, state.position):
                state.report(page.findings, as_json)
                state.add(page)
                state.keep(kept)
                advance(page.events)
        with database.outside_clubs() as connection:
            are_keys_unchecked = signing_keys is None and has_published_keys(connection)
            if signing_keys is not None:
                state.report(check_published_keys(connection, signing_keys), as_json)
    if kept is not None:
        resolve(kept).unlink(missing_ok=True)
    unchecked = _unchecked(clubs, {checkpoint.origin for checkpoint in checkpoints})
    if are_keys_unchecked:
        unchecked.append("whether the published keys are the service's own: no signing key is configured here")
    _conclude(context, state, events, unchecked, as_json)


def _read_signing_keys(directory: Path | None) -> tuple[VerifierKey, ...] | None:
    """Read the public keys of the configured signing key and of those before it; None where none is configured."""
    file = configured_key_file(directory)
    return None if file is None or not file_exists(file) else read_signing_keys(file).verifiers


def _read_checkpoint(path: Path) -> Checkpoint:
    """
    Read a checkpoint that was kept; whoever kept it knows that it is right.

    Raises:
        OperatorError: the file is none.
    """
    try:
        return Checkpoint.read(read_note(path.read_text(encoding="utf-8")).text)
    except (UnicodeDecodeError, EvidenceError) as error:
        raise OperatorError(f"{path} is not a checkpoint: {error}.") from error


def _unchecked(clubs: list[UUID], origins: set[str]) -> list[str]:
    """Say what could not be checked."""
    lacking = [origin_of(club) for club in clubs if origin_of(club) not in origins]
    if not lacking:
        return []
    whose = ", ".join(lacking[:3]) + (f" and {len(lacking) - 3} more" if len(lacking) > 3 else "")
    return [f"whether the newest events were cut off with all that they made: no checkpoint was given of {whose}"]


@dataclass(slots=True)
class _State:
    """How far it has come, and what was found until then."""

    position: Position | None = None
    events: int = 0
    found: Counter[str] = field(default_factory=Counter[str])

    @classmethod
    def read(cls, path: Path | None) -> "_State":
        """
        Read what an earlier run has kept; nothing where there was none.

        Raises:
            OperatorError: the file is something else.
        """
        if path is None or not file_exists(path):
            return cls()
        try:
            kept = json.loads(path.read_bytes())
            at = kept["position"]
            position = Position(UUID(at["club"]), Pass(at["pass"]), UUID(at["after"]))
            return cls(position, int(kept["events"]), Counter(kept["found"]))
        except (ValueError, KeyError, TypeError) as error:
            raise OperatorError(
                f"{path} is not a progress file of `ofc-server verify`; expected another file."
            ) from error

    def add(self, page: Page) -> None:
        """Count a page in."""
        self.position = page.position
        self.events += page.events

    def report(self, findings: Iterable[Finding], as_json: bool) -> None:
        """Print what was found, one line each, and count it."""
        for finding in findings:
            click.echo(json.dumps(_dump(finding)) if as_json else _line(finding))
            self.found[finding.kind.value] += 1

    def keep(self, path: Path | None) -> None:
        """Write it down, whole or not at all, after what was found was printed."""
        if path is None or self.position is None:
            return
        sys.stdout.flush()
        at = self.position
        position = {"club": str(at.club_id), "pass": at.passing.value, "after": str(at.after)}
        write_atomically(path, json.dumps({"position": position, "events": self.events, "found": self.found}))


@contextmanager
def _progress(total: int, done: int) -> Iterator[Any]:
    """Show a bar while the block runs, where somebody looks at a terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        row = progress.add_task("Verifying", total=total, completed=done)
        yield lambda events: progress.advance(row, events)


def _conclude(context: click.Context, state: _State, events: int, unchecked: list[str], as_json: bool) -> None:
    wrong = state.found.total() - state.found[FindingKind.SCHEMA_EXTENDED]
    code = FOUND if wrong else INCOMPLETE if unchecked else 0
    if as_json:
        summary = {"events": events, "found": state.found, "unchecked": unchecked}
        click.echo(json.dumps({"summary": summary}))
    for kind in FindingKind:
        if state.found[kind]:
            say(f"{state.found[kind]} {kind}: {MEANS[kind]}")
    say(f"{events} events, and all that they made, were looked at; {wrong} finding{'' if wrong == 1 else 's'}.")
    for sentence in unchecked:
        say(f"INCOMPLETE: it could not be checked {sentence}.")
    context.exit(code)


def _line(finding: Finding) -> str:
    dumped = _dump(finding)
    key = " ".join(f"{name}={value}" for name, value in dumped["key"].items())
    if finding.column is None:
        return f"{finding.kind}: {finding.table} {key}"
    return f"{finding.kind}: {finding.table} {key}: {finding.column} is {dumped['found']}; expected {dumped['right']}"


def _dump(finding: Finding) -> dict[str, Any]:
    key = {name: _plain(value) for name, value in finding.key.items()}
    found, right = _plain(finding.found), _plain(finding.right)
    return {
        "kind": finding.kind.value,
        "table": finding.table,
        "key": key,
        "column": finding.column,
        "found": found,
        "right": right,
    }


def _plain(value: Any) -> Any:
    """Write a value as JSON has it: bytes in hexadecimal digits, ids and times as text."""
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    if isinstance(value, (list, dict, str, int, float, bool)) or value is None:
        return value
    return str(value)
