"""Commands that convert and compare hands of other tools, and list the formats of their files."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from client.commands.base import (
    Command,
    NamedPath,
    json_option,
    overwrite_option,
    print_json,
    refuse_output,
    with_source,
)
from client.commands.names import complete_files, complete_tables
from client.errors import UnreadableError
from client.files import read_json, write_file
from client.formats.declaration import Format
from client.formats.files import ForeignFile, build_documents, read_file
from client.formats.registry import list_formats
from client.offline.file_hands import FileBalance, FileHand, Unread
from client.offline.file_results import Comparison, compare, find_field, find_ruleset
from client.offline.file_rounds import FileOptions
from client.offline.score import Document, read_preset, read_ruleset
from client.render.console import make_console
from client.render.format import plural

SHOWN: Final = 20
"""Hands and differences that are shown to people; --json prints all."""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Choices:
    """The options for what a file of another tool does not have."""

    table: str | None
    rules: str | None
    stack: int | None
    button: str | None
    point_value: int | None
    unit: str | None

    @property
    def is_empty(self) -> bool:
        """Whether none of them is given."""
        return self == Choices(None, None, None, None, None, None)

    def complete(self, file: str, hands: list[FileHand]) -> FileOptions:
        """
        Return the options with the table and the ruleset, which may be omitted.

        Raises:
            RefusedError: the preset does not exist, or the file of the ruleset is invalid.
        """
        table = self.table or Path(file).stem or "imported"
        ruleset = choose_ruleset(hands, self.rules)
        return FileOptions(table, ruleset, self.stack, self.button, self.point_value, self.unit)


_OPTIONS: Final = (
    click.option(
        "--table",
        help="The name of the table. The file's name without ending if omitted.",
        shell_complete=complete_tables,
    ),
    click.option("--ruleset", "rules", metavar="NAME|FILE", help="The ruleset; the best preset if omitted."),
    click.option("--stack", type=click.IntRange(1), metavar="POINTS", help="Points of each player, if FILE has none."),
    click.option("--button", metavar="PLAYER", help="Who has the button first, if the file does not have it."),
    click.option("--point-value", type=click.IntRange(1), help="Value of a point, in the smallest part of --unit."),
    click.option("--unit", metavar="CODE", help="Unit of the point value, for example EUR."),
)


def file_options(command: Function) -> Function:
    """Add the options for what a file of another tool does not have, and pass them as `choices`."""

    @wraps(command)
    def joined(
        *arguments: Any,
        table: str | None,
        rules: str | None,
        stack: int | None,
        button: str | None,
        point_value: int | None,
        unit: str | None,
        **options: Any,
    ) -> Any:
        choices = Choices(table, rules, stack, button, point_value, unit)
        return command(*arguments, choices=choices, **options)

    decorated: Any = joined
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast("Function", decorated)


def choose_ruleset(hands: list[FileHand], rules: str | None) -> Document:
    """
    Return the ruleset given by its name or a file, or else the preset that explains the results best.

    Raises:
        RefusedError: the preset does not exist, or the file has no valid ruleset.
    """
    if rules is None:
        return find_ruleset(hands)
    if Path(rules).is_file():
        with with_source(rules):
            return read_ruleset(read_json(rules))
    return read_preset(rules)


def show_unread(unread: Iterable[Unread], what: str, *, on_error: bool) -> None:
    """Print the parts of a file that are left out, with the reasons."""
    unread = list(unread)
    console = make_console(error=on_error)
    if unread:
        console.print(f"{plural(len(unread), 'hand')} {what}:", markup=False)
    for part in unread[:SHOWN]:
        console.print(f"  {part.place}: {part.reason}", markup=False, soft_wrap=True)
    if len(unread) > SHOWN:
        console.print(f"  and {len(unread) - SHOWN} more")


@click.command(cls=Command, examples=["ofc formats", "ofc formats --json"])
@json_option
def formats(as_json: bool) -> None:
    """List the formats of files that `ofc convert` and `ofc import --format` read."""
    console = make_console()
    for each in list_formats():
        if as_json:
            print_json(_declare(each), indent=None)
            continue
        console.print(f"{each.name}  {each.title}", soft_wrap=True)
        for label, text in (("reads", each.reads), ("loses", each.loses), ("cannot know", each.unknown)):
            console.print(f"  {label}: {text}", soft_wrap=True)


def _declare(form: Format) -> Document:
    names = ("name", "title", "reads", "loses", "unknown")
    return {name: getattr(form, name) for name in names}


@click.command(
    cls=Command,
    examples=[
        "ofc convert examples/formats/poker-arena.jsonl",
        "ofc convert examples/formats/poker-arena.jsonl --stack 200 --to ndjson -o converted.ndjson",
        "ofc convert examples/formats/swc.jsonl --stack 100 --button cyd --to document -o evening.json",
    ],
)
@click.argument("file", shell_complete=complete_files)
@click.option("--from", "format_name", metavar="FORMAT", help="The format of FILE; found by its content if omitted.")
@click.option("--to", "form", type=click.Choice(["document", "ndjson"]), help="Write one round, or a round a line.")
@file_options
@click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="A file to write.")
@overwrite_option
@json_option
def convert(
    file: str,
    format_name: str | None,
    form: str | None,
    choices: Choices,
    output: Path | None,
    overwrites: bool,
    as_json: bool,
) -> None:
    """
    Compare hands of another tool with our results, and convert them to rounds.

    Nothing is recorded, and no service is needed. The results in FILE are compared with those of the ruleset, and
    without --ruleset with those of the preset that explains them best. With --to, rounds are written as `ofc import`
    and `ofc post` read them; what the file does not have is given by options. --json prints the comparison.
    """
    refuse_output(output, overwrites=overwrites)
    if as_json and form is not None and output is None:
        raise click.UsageError("--json and --to both write to the standard output; give -o FILE with --to")
    read = read_file(file, format_name)
    ruleset = choose_ruleset(read.hands, choices.rules) if read.hands else None
    comparison = None if ruleset is None else compare(read.hands, ruleset)
    is_piped = form is not None and output is None
    if as_json:
        print_json(_report(read, ruleset, comparison))
    else:
        _show(read, ruleset, comparison, on_error=is_piped)
    if form is None:
        return
    if ruleset is None:
        raise UnreadableError(f"{file}: there is no hand to convert")
    rounds = build_documents(read, choices.complete(file, read.hands))
    show_unread(rounds.refused, "not converted", on_error=is_piped or as_json)
    content = _encode(rounds.documents, form, file)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_file(output, content.encode(), overwrites=overwrites)


def _encode(documents: list[Document], form: str, file: str) -> str:
    if not documents:
        raise UnreadableError(f"{file}: no round could be made of the hands")
    if form == "ndjson":
        return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
    if len(documents) > 1:
        raise UnreadableError(f"{file}: the file has {len(documents)} rounds; expected one, or --to ndjson")
    return json.dumps(documents[0], ensure_ascii=False, indent=2) + "\n"


def _show(read: ForeignFile, ruleset: Document | None, comparison: Comparison | None, *, on_error: bool) -> None:
    console = make_console(error=on_error)
    console.print(f"{read.format.title}: {plural(len(read.hands), 'hand')}")
    show_unread(read.unread, "not read", on_error=on_error)
    for line in _balance_lines(read.balances):
        console.print(line)
    if ruleset is None or comparison is None:
        return
    name = ruleset["name"]
    console.print(
        f"Under {name}, {comparison.agreeing} of {plural(comparison.hands, 'scored hand')} agree with the file."
    )
    for lines in (comparison.refused, comparison.differences):
        for line in lines[:SHOWN]:
            console.print(f"  {line}", soft_wrap=True)
        if len(lines) > SHOWN:
            console.print(f"  and {len(lines) - SHOWN} more; --json prints all of them")
    if comparison.differences or comparison.refused:
        field = find_field(read.hands, ruleset)
        if field is not None:
            words, better = field
            tried = plural(better.hands + len(better.refused), "hand")
            console.print(f"With {words}, {better.agreeing} of the first {tried} agree.")


def _balance_lines(balances: list[FileBalance]) -> Iterator[str]:
    for balance in balances:
        yield f"  {balance.player}: bought {balance.bought}, won {balance.won:+}"
    total = sum(balance.won for balance in balances)
    if total:
        yield f"  The sum is {total:+}; expected 0: the ledger is not complete."


def _report(read: ForeignFile, ruleset: Document | None, comparison: Comparison | None) -> Document:
    field = None
    if ruleset is not None and comparison is not None and (comparison.differences or comparison.refused):
        field = find_field(read.hands, ruleset)
    return {
        "format": read.format.name,
        "hands": len(read.hands),
        "unread": [{"place": part.place, "reason": part.reason} for part in read.unread],
        "balances": [{"player": each.player, "bought": each.bought, "won": each.won} for each in read.balances],
        "ruleset": None if ruleset is None else ruleset["name"],
        "agreeing": None if comparison is None else comparison.agreeing,
        "refused": [] if comparison is None else list(comparison.refused),
        "differences": [] if comparison is None else list(comparison.differences),
        "change": None if field is None else {"field": field[0], "agreeing": field[1].agreeing},
    }
