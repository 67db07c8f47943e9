import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import click

from client.answers import Lines
from client.commands.common import (
    REFUSED,
    Command,
    NamedPath,
    Session,
    json_option,
    overwrite_option,
    pass_session,
    print_json,
    refuse_output,
    tell_waiting,
)
from client.finding import find_table
from client.reading import reading_lines
from client.render.cards import plural
from client.render.console import make_console
from client.render.progress import Coming, watch
from client.transfers import Piece, cut_up, import_piece, pages_of_export
from client.writing import standard_output, writing_whole

_SHOWN: Final = 20
"""Refused lines that are explained to people; scripts get all of them."""


@click.command(
    cls=Command,
    examples=[
        "ofc export -o backup.ndjson",
        "ofc export --table kitchen --from 2026-11-01T00:00:00Z | gzip > november.ndjson.gz",
    ],
)
@click.option("--table", help="Only of this table, by its name or id.")
@click.option("--from", "opened_from", metavar="TIME", help="Opened at this time or later (RFC 3339).")
@click.option("--to", "opened_before", metavar="TIME", help="Opened before this time.")
@click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="A file to write.")
@overwrite_option
@pass_session
def export(
    session: Session,
    table: str | None,
    opened_from: str | None,
    opened_before: str | None,
    output: Path | None,
    overwrites: bool,
) -> None:
    """
    Export rounds as documents, one a line, the oldest first.

    A connection that breaks is waited for, and the export goes on where it was. What is printed are whole lines always,
    and the file of -o has all of it or is not there.
    """
    refuse_output(output, overwrites=overwrites)
    to = nullcontext(standard_output()) if output is None else writing_whole(output, overwrites=overwrites)
    with session.client() as client, to as file:
        table_id = None if table is None else find_table(client, table)["id"]
        pages = pages_of_export(client, {"table": table_id, "from": opened_from, "to": opened_before}, tell_waiting)
        with watch("Exporting", is_shown=not file.isatty()) as coming:
            rounds = 0
            for page in pages:
                file.write(page.content)
                rounds += page.content.count(b"\n")
                _show(coming, page, rounds)
            file.flush()
    if output is not None:
        make_console().print(f"{plural(rounds, 'round')} exported")


def _show(coming: Coming, page: Lines, rounds: int) -> None:
    if page.total is not None:
        coming.expect(page.total)
    coming.show(rounds, rounds)


@click.command(
    name="import",
    cls=Command,
    examples=["ofc import rounds.ndjson", "ofc import october.ndjson.gz", "ofc import - < rounds.ndjson"],
)
@click.argument("file")
@click.option("--provisional", is_flag=True, help="Let settlements be confirmed and disputed before they are final.")
@json_option
@pass_session
def import_(session: Session, file: str, provisional: bool, as_json: bool) -> None:
    """
    Import rounds: documents, one a line, plain or in gzip.

    FILE is `-` for standard input. Cards and rows may be spelled as people do. A line is stored whole or refused whole,
    and none stops the others; one that is recorded already changes nothing, so that an import that was interrupted is
    just run again. --json prints a line for each line of FILE.
    """
    counted = {"stored": 0, "replayed": 0, "refused": 0}
    refused: list[dict[str, Any]] = []
    with session.client() as client, reading_lines(file) as read, watch("Importing") as coming:
        coming.expect(read.size)
        done = 0
        for piece in cut_up(read.lines):
            before, rounds = done, sum(counted.values())

            def tell(job: dict[str, Any], piece: Piece = piece, before: int = before, rounds: int = rounds) -> None:
                share = job["progress"]["done"] / max(job["progress"]["total"] or 0, 1)
                coming.show(before + share * piece.size, rounds + job["progress"]["done"])

            for result in import_piece(client, piece, tell, tell_waiting, is_provisional=provisional):
                counted[result["status"]] += 1
                if as_json:
                    print_json(result, indent=None)
                elif result["status"] == "refused" and len(refused) < _SHOWN:
                    refused.append(result)
            done += piece.size
    if not as_json:
        _explain(counted, refused)
    if counted["refused"]:
        sys.exit(REFUSED)


def _explain(counted: dict[str, int], refused: list[dict[str, Any]]) -> None:
    console = make_console()
    stored, replayed = plural(counted["stored"], "round"), counted["replayed"]
    console.print(f"{stored} stored, {replayed} recorded before, {counted['refused']} refused")
    for result in refused:
        console.print(f"  line {result['line']}: {_why(result['problem'])}")
    if counted["refused"] > len(refused):
        console.print(f"  and {counted['refused'] - len(refused)} more; --json prints all of them")


def _why(problem: dict[str, Any]) -> str:
    """Say the first mistake with its place, and how many more there are."""
    if not problem["errors"]:
        return str(problem["detail"])
    first, *others = problem["errors"]
    place = "" if first["pointer"] == "#" else f"{first['pointer']}  "
    return f"{place}{first['detail']}" + (f" (and {plural(len(others), 'more mistake')})" if others else "")
