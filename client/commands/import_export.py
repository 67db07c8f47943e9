"""Commands that import rounds, and that export rounds and events."""

import json
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final

import click

from client.commands.base import (
    REFUSED,
    Command,
    NamedPath,
    Period,
    Session,
    json_option,
    overwrite_option,
    pass_session,
    period_options,
    print_json,
    print_waiting,
    refuse_output,
)
from client.commands.convert import Choices, file_options, show_unread
from client.commands.list_files import fetch_parquet, refuse_terminal
from client.commands.names import complete_files, complete_rounds, complete_tables, table_option
from client.entry.player_names import confirm_names, find_similar_in_documents, yes_option
from client.files import FileLines, atomic_write, open_lines, standard_output
from client.formats.files import build_documents, read_file
from client.formats.registry import refuse_foreign
from client.import_export import (
    Chunk,
    event_pages,
    export_pages,
    follow_events,
    import_chunk,
    split_into_chunks,
)
from client.lookup import find_round, find_table
from client.render.console import make_console
from client.render.format import plural
from client.render.problems import after_place
from client.render.progress import ProgressBar, show_progress
from client.responses import Content

_SHOWN: Final = 20
"""Refused lines that are explained to people; scripts get all of them."""


_CLOSED: Final = select.POLLERR | select.POLLHUP


@click.command(
    cls=Command,
    examples=[
        "ofc export -o backup.ndjson",
        "ofc export --table kitchen --from 2026-11-01 --to 2026-12-01 | gzip > november.ndjson.gz",
        "ofc export --format parquet --records results -o results.parquet",
    ],
)
@table_option
@period_options
@click.option(
    "--format", "form", type=click.Choice(["ndjson", "parquet"]), default="ndjson", help="NDJSON unless it is given."
)
@click.option(
    "--records",
    type=click.Choice(["hands", "results", "transfers"]),
    help="What a Parquet file has a row for; results are those of each player in a hand. Hands unless it is given.",
)
@click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="A file to write.")
@overwrite_option
@pass_session
def export(
    session: Session,
    table: str | None,
    period: Period,
    form: str,
    records: str | None,
    output: Path | None,
    overwrites: bool,
) -> None:
    """
    Export rounds as documents, one a line, oldest first; or hands, results or transfers as Parquet.

    After a broken connection, the export waits and resumes. Only whole lines are printed. The file of -o has all
    rounds, or is not written. Parquet is for pandas, DuckDB and Spark; documents can be imported again.
    """
    refuse_output(output, overwrites=overwrites)
    if records is not None and form != "parquet":
        raise click.UsageError("--records needs --format parquet: NDJSON has whole rounds")
    if form == "parquet":
        refuse_terminal(output)
    to = nullcontext(standard_output()) if output is None else atomic_write(output, overwrites=overwrites)
    with session.client(is_patient=True, reports_waiting=False) as client, to as file:
        table_id = None if table is None else find_table(client, table)["id"]
        query: dict[str, Any] = {"table": table_id, **period.find(client)}
        if form == "parquet":
            file.write(fetch_parquet(client.export_rounds_as, {"records": records, **query}))
            file.flush()
            return
        pages = export_pages(client, query, print_waiting)
        with show_progress("Exporting", is_shown=not file.isatty()) as bar:
            rounds = 0
            for page in pages:
                file.write(page.content)
                rounds += page.content.count(b"\n")
                _show(bar, page, rounds)
            file.flush()
    if output is not None:
        make_console().print(f"{plural(rounds, 'round')} exported")


def _show(bar: ProgressBar, page: Content, rounds: int) -> None:
    if page.total is not None:
        bar.expect(page.total)
    bar.show(rounds, rounds)


@click.command(
    name="import",
    cls=Command,
    examples=[
        "ofc import rounds.ndjson",
        "ofc import october.ndjson.gz",
        "ofc import - < rounds.ndjson",
        "ofc import examples/formats/poker-arena.jsonl --format poker-arena --table arena --stack 200",
    ],
)
@click.argument("file", shell_complete=complete_files)
@click.option("--format", "format_name", metavar="FORMAT", help="Read a file of another tool, see `ofc formats`.")
@file_options
@click.option("--provisional", is_flag=True, help="Make settlements provisional: open to confirmation and dispute.")
@yes_option
@json_option
@pass_session
def import_(
    session: Session,
    file: str,
    format_name: str | None,
    choices: Choices,
    provisional: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Import rounds: documents, one a line, plain or gzipped.

    FILE is `-` for standard input. Cards and rows may be spelled as people do. Each line is stored or refused as a
    whole, and does not stop the others. A line that is already recorded changes nothing, so run an interrupted import
    again. A new player whose name differs from a known player's by case or accents only is asked about. --json prints a
    line for each line of FILE. With --format, the hands of another tool's file are made rounds first, as `ofc convert
    --to ndjson` does; results in the file are never stored.
    """
    if format_name is None and not choices.is_empty:
        raise click.UsageError("options for what a file does not have need --format: documents have all of it")
    counted = {"stored": 0, "replayed": 0, "refused": 0}
    refused: list[dict[str, Any]] = []
    with (
        session.client(is_patient=True, reports_waiting=False) as client,
        _open_rounds(file, format_name, choices, as_json=as_json) as (read, left_out),
        show_progress("Importing") as bar,
    ):
        bar.expect(read.size)
        done = 0
        for chunk in split_into_chunks(read.lines):
            before, rounds = done, sum(counted.values())
            similar = {} if yes else find_similar_in_documents(client, _read_objects(chunk))
            if similar:
                with bar.hidden():
                    is_agreed = confirm_names(similar, yes=False)
                if not is_agreed:
                    make_console(error=as_json).print("The import ended here; what was imported before remains.")
                    break

            def notify(job: dict[str, Any], chunk: Chunk = chunk, before: int = before, rounds: int = rounds) -> None:
                share = job["progress"]["done"] / max(job["progress"]["total"] or 0, 1)
                bar.show(before + share * chunk.size, rounds + job["progress"]["done"])

            for result in import_chunk(client, chunk, notify, print_waiting, is_provisional=provisional):
                counted[result["status"]] += 1
                if as_json:
                    print_json(result, indent=None)
                elif result["status"] == "refused" and len(refused) < _SHOWN:
                    refused.append(result)
            done += chunk.size
    if not as_json:
        _explain(counted, refused)
    if counted["refused"] or left_out:
        sys.exit(REFUSED)


@contextmanager
def _open_rounds(
    file: str, format_name: str | None, choices: Choices, *, as_json: bool
) -> Iterator[tuple[FileLines, int]]:
    """Open a file of documents, or make them of another tool's file; also return how many hands are left out."""
    if format_name is None:
        with open_lines(file) as read:
            yield FileLines(refuse_foreign(read.lines, file), read.size), 0
        return
    foreign = read_file(file, format_name)
    show_unread(foreign.unread, "not read", on_error=as_json)
    rounds = build_documents(foreign, choices.complete(file, foreign.hands))
    show_unread(rounds.refused, "not imported", on_error=as_json)
    lines = [json.dumps(document).encode() + b"\n" for document in rounds.documents]
    yield FileLines(iter(lines), sum(map(len, lines))), len(foreign.unread) + len(rounds.refused)


def _read_objects(chunk: Chunk) -> Iterator[dict[str, Any]]:
    """Yield the documents of a chunk. Content that cannot be read are refused by the service."""
    for line in chunk.content.splitlines():
        with suppress(ValueError, RecursionError):
            if isinstance(read := json.loads(line), dict):
                yield read


def _explain(counted: dict[str, int], refused: list[dict[str, Any]]) -> None:
    console = make_console()
    stored, replayed = plural(counted["stored"], "round"), counted["replayed"]
    lines = plural(sum(counted.values()), "line")
    console.print(f"{lines}: {stored} stored, {replayed} recorded before, {counted['refused']} refused")
    for result in refused:
        console.print(f"  line {result['line']}: {_why(result['problem'])}")
    if counted["refused"] > len(refused):
        console.print(f"  and {counted['refused'] - len(refused)} more; --json prints all of them")


def _why(problem: dict[str, Any]) -> str:
    """Return the first mistake with its place, and how many more there are."""
    if not problem["errors"]:
        return str(problem["detail"])
    first, *others = problem["errors"]
    place = "" if first["pointer"] == "#" else f"{first['pointer']}  "
    return f"{place}{after_place(first['detail'])}" + (
        f" (and {plural(len(others), 'more mistake')})" if others else ""
    )


@click.command(
    cls=Command,
    examples=[
        "ofc events > events.ndjson",
        "ofc events --after 41 --follow >> events.ndjson",
        "ofc events --follow --table friday --kind hand.recorded,round.closed",
    ],
)
@click.option("--after", type=click.IntRange(0), metavar="POSITION", help="Only events after this position.")
@click.option("--kind", metavar="KIND,…", help="Only events of these kinds, separated by commas.")
@click.option("--table", help="Only of this table and its rounds, by its name or id.", shell_complete=complete_tables)
@click.option(
    "--round",
    "round_",
    metavar="ROUND",
    help="Only of this round, by its id or the last six or more characters of it.",
    shell_complete=complete_rounds,
)
@click.option("--follow", "follows", is_flag=True, help="Continue with new events until Ctrl-C.")
@pass_session
def events(
    session: Session, after: int | None, kind: str | None, table: str | None, round_: str | None, follows: bool
) -> None:
    """
    Print the events of the club, one a line, as JSON.

    Each has its position in the tree that checkpoints sign, its hash and its content; hands and settlements have their
    points. The signed bytes and the events of keys and links need the scope `audit`. With --follow, new events are
    printed as they happen: after a broken connection the command waits and resumes, and no event is left out or printed
    twice.
    """
    output = standard_output()
    with session.client(is_patient=True, reports_waiting=False) as client:
        filters = {
            "kind": None if kind is None else kind.split(","),
            "table": None if table is None else find_table(client, table)["id"],
            "round": None if round_ is None else find_round(client, round_)["id"],
        }
        pages = (
            follow_events(client, after, print_waiting, **filters) if follows else event_pages(client, after, **filters)
        )
        for page in pages:
            output.write(page.content)
            output.flush()
            if follows and _is_closed():
                raise BrokenPipeError


def _is_closed() -> bool:
    """Return whether the reader of the pipe has ended. While nothing happens nothing is written, and no write fails."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    return any(event & _CLOSED for _, event in output.poll(0))
