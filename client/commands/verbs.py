"""Commands as a table over the contract: the row of a command, and the one executor of all rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

import click
from rich.console import Console
from rich.text import Text

from client.api import Client
from client.commands.base import (
    MOMENT,
    REFUSED,
    Command,
    Entry,
    Lifetime,
    Period,
    Session,
    print_json,
)
from client.commands.list_files import check_file_options, file_options, find_form, write_file
from client.commands.names import (
    Completer,
    complete_players,
    complete_recomputations,
    complete_rounds,
    complete_rulesets,
    complete_tables,
)
from client.entry.prompt import confirm, make_asker
from client.lookup import find_round, find_table
from client.parameters import PARAMETERS, Parameter
from client.render.console import Column, make_console, show_records
from client.render.format import join

Document = Mapping[str, Any]
Show = Callable[[Console, Any], None]
Find = Callable[..., Document]
"""Finds what an argument names; called with the client, the ids of the arguments before, and the text."""
Extend = Callable[[Client, Sequence[Document]], Sequence[Document]]
"""Adds fields that are shown to people and that the response does not have to the items of a list, or to it itself."""

_HIDDEN: Final = frozenset({"limit", "cursor", "dry_run", "ids"})
"""Parameters that are no options: pages are read as they are needed."""
_SEVERAL: Final = frozenset({"array", "object"})
"""The types of parameters whose option is written once for each item."""
_JSON: Final = "Print the response as JSON, for scripts."
_PERIOD: Final = ("from", "to")
_COMPLETERS: Final[Mapping[str, Completer]] = {
    "payee": complete_players,
    "payer": complete_players,
    "player": complete_players,
    "recomputation_id": complete_recomputations,
    "round": complete_rounds,
    "ruleset": complete_rulesets,
    "reference": complete_rulesets,
    "table": complete_tables,
    "table_id": complete_tables,
    "tables": complete_tables,
}
_METAVARS: Final = {
    "metadata": "KEY=TEXT",
    "from": "TIME",
    "to": "TIME",
    "ruleset": "NAME[@VERSION]",
    "evening": "DATE",
}
_HELP: Final = {
    "table": "Only of this table, by its name or id.",
    "tables": "Only this table, by its name or id; more than once for several.",
    "round": "Only this round, by its id or its table's name.",
}
"""Of options that accept names of tables where the parameters are ids."""
_TIMES: Final = {
    "from": ": today, yesterday, 2026-11-20, -7d (days ago), or RFC 3339.",
    "to": ". Days begin with the evening of the club, at 06:00 unless it is set up.",
}
"""What follows the description of a time, which people can write in more forms than the contract has."""
_FROM_NOW: Final = "How long it is valid, such as 90m, 12h or 90d."


class FromNow(click.ParamType[str]):
    """A time such as `90d`, as the moment in RFC 3339 that is so long from now."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the moment of a time."""
        moment = datetime.now(UTC) + timedelta(seconds=Lifetime().convert(value, param, ctx))
        return moment.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, kw_only=True, slots=True)
class Verb:
    """
    A command: an operation of the contract, and what the contract does not say.

    Attributes:
        operation: the `operationId`.
        operation_for_all: the `operationId` without the argument of the path, which is then optional.
        help: of the command.
        examples: of the command.
        columns: in which the response, or the items of a list, are printed for people.
        show: without columns, prints the response, or one item of a list, for people.
        records: the field of the records that the columns show, if the response itself is no record.
        note: a sentence below the table.
        empty: the sentence in place of an empty list; `No ITEMS.` if omitted.
        extend: adds fields that are shown to people to the items of a list, or to the response.
        arguments: names of fields of the body that are arguments, not options.
        metavars: of arguments and options, by the names of the contract, if they have others there.
        options: names of options, by the names of the contract, if they have others there.
        from_now: names of moments of the body, for which the command takes the time until then.
        finds: how the arguments of the path are looked up; others are ids.
        items: of a list, the field of the items.
        limit: of a list, the default of --limit; None if all items are read.
        has_csv: whether the list can be printed as CSV.
        has_parquet: whether the list, which has CSV, can be written as Parquet too.
        confirms: the operation that returns what the command removes, or None, and the question about it.
        done: the sentence after success, with fields of what the last argument named.
        needs_option: whether one option at least must be given.
        clears: objects of the body that `--no-NAME` empties.
        is_patient: whether --timeout does not apply.
    """

    operation: str
    help: str
    examples: Sequence[str]
    operation_for_all: str | None = None
    columns: Sequence[Column] = ()
    show: Show | None = None
    records: str | None = None
    note: str = ""
    empty: str | None = None
    extend: Extend | None = None
    arguments: tuple[str, ...] = ()
    metavars: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    from_now: tuple[str, ...] = ()
    finds: Mapping[str, Find] = field(default_factory=dict)
    items: str | None = None
    limit: int | None = None
    has_csv: bool = False
    has_parquet: bool = False
    confirms: tuple[str | None, str] | None = None
    done: str = ""
    needs_option: bool = False
    clears: tuple[str, ...] = ()
    is_patient: bool = False

    @property
    def is_printed(self) -> bool:
        """Whether the response is printed."""
        return bool(self.columns) or self.show is not None

    def choose_operation(self, arguments: Sequence[str]) -> str:
        """Return the operation for the values of the path, or for none."""
        return self.operation if arguments or self.operation_for_all is None else self.operation_for_all

    def list_parameters(self) -> list[Parameter]:
        """List the parameters that are arguments and options."""
        return [each for each in PARAMETERS[self.operation] if each.place == "path" or each.name not in _HIDDEN]

    def is_argument(self, parameter: Parameter) -> bool:
        """Return whether a parameter is an argument of the command."""
        return parameter.place == "path" or parameter.name in self.arguments

    def name_option(self, parameter: Parameter) -> str:
        """Return the option of a parameter."""
        return f"--{self.options.get(parameter.name, parameter.name).replace('_', '-')}"


def make_command(name: str, verb: Verb) -> Command:
    """Build the command of a row."""
    parameters = verb.list_parameters()
    arguments = [_make_argument(verb, each) for each in parameters if verb.is_argument(each)]
    options = [_make_option(verb, each) for each in parameters if not verb.is_argument(each)]
    others: list[click.Parameter] = [
        click.Option([f"--no-{each}", f"no_{each}"], is_flag=True, help=f"Remove all {each}.") for each in verb.clears
    ]
    if verb.limit is not None:
        text = "Maximum number of items, not as CSV." if verb.has_csv else "Maximum number of items."
        others.append(
            click.Option(["--limit"], type=click.IntRange(1), default=verb.limit, show_default=True, help=text)
        )
    if verb.has_csv:
        others += file_options(has_parquet=verb.has_parquet)
    if verb.confirms:
        others.append(click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation."))
    elif verb.is_printed:
        others.append(
            click.Option(["--json", "as_json"], is_flag=True, help="Print the response as JSON, for scripts.")
        )
    callback = click.pass_obj(lambda session, **values: _run(session, verb, values))
    return Command(
        name, params=[*arguments, *options, *others], callback=callback, help=verb.help, examples=verb.examples
    )


def add_commands(group: click.Group, rows: Mapping[str, Verb], *names: str) -> None:
    """Add the commands of those rows to a group whose names begin with its name, or are given."""
    for name, verb in rows.items():
        first, _, last = name.rpartition(" ")
        if first == group.name or name in names:
            group.add_command(make_command(last, verb), last)


def _make_argument(verb: Verb, parameter: Parameter) -> click.Argument:
    metavar = verb.metavars.get(parameter.name, "ID" if parameter.place == "path" else parameter.name.upper())
    return click.Argument(
        [parameter.name],
        required=verb.operation_for_all is None,
        metavar=metavar,
        shell_complete=_COMPLETERS.get(parameter.name),
    )


def _make_option(verb: Verb, parameter: Parameter) -> click.Option:
    """Build the option of a parameter, with the type, the values and the description of the contract."""
    flag, name = verb.name_option(parameter), parameter.name
    kind: Any = click.Choice(parameter.choices) if parameter.choices and parameter.type == "string" else None
    kind = MOMENT if name in _PERIOD else click.IntRange(parameter.minimum) if parameter.type == "integer" else kind
    kind = FromNow() if name in verb.from_now else Entry() if parameter.type == "object" else kind
    is_flag = parameter.type == "boolean"
    metavar = verb.metavars.get(name, _METAVARS.get(name))
    unset: dict[str, Any] = {"default": None} if is_flag else {}
    return click.Option(
        [f"{flag}/--no-{flag.removeprefix('--')}" if is_flag else flag, name],
        type=None if is_flag else kind,
        multiple=parameter.type in _SEVERAL or name == "tables",
        required=parameter.is_required and name not in verb.clears,
        metavar=metavar,
        help=_FROM_NOW if name in verb.from_now else _describe(parameter),
        # A reference is the name of a ruleset only in a path.
        shell_complete=None if name == "reference" else _COMPLETERS.get(name),
        **unset,
    )


def _describe(parameter: Parameter) -> str:
    """Return the help of an option."""
    if parameter.place == "query" and parameter.name in _TIMES:
        return parameter.help.removesuffix(".") + _TIMES[parameter.name]
    return _HELP.get(parameter.name, parameter.help) if parameter.place == "query" else parameter.help


def _run(session: Session, verb: Verb, values: dict[str, Any]) -> None:
    """Run the command of a row: look up what is named, call the operation, and print its response."""
    _check_options(verb, values)
    form = find_form(values)
    with session.client(is_patient=form is not None or verb.is_patient, reports_waiting=form is None) as client:
        arguments, record = _find_arguments(client, verb, values)
        if verb.confirms and not _is_confirmed(client, verb, arguments, values):
            return
        query = _write_query(client, verb, values)
        body = _write_body(verb, values)
        if form is not None:
            write_file(client, form, verb.operation, verb.items or "lines", query, values)
            return
        call = getattr(client, verb.choose_operation(arguments))
        response = call(*arguments, *([] if body is None else [body]), **query)
        if verb.items is not None:
            _print_list(client, verb, iter(response), values)
            return
        if verb.extend is not None and not values.get("as_json"):
            [response] = verb.extend(client, [response])
    if verb.done:
        make_console().print(verb.done.format(**record), soft_wrap=True)
    elif verb.is_printed and values["as_json"]:
        print_json(response)
    elif verb.is_printed:
        _print_records(verb, make_console(), [response] if verb.records is None else response[verb.records])
    if response is not None and response.get("state") == "failed" and "progress" in response:
        raise SystemExit(REFUSED)


def _check_options(verb: Verb, values: Mapping[str, Any]) -> None:
    """
    Check options against each other, before anything is sent.

    Raises:
        UsageError: two contradict each other, or one is missing.
    """
    options = {
        verb.name_option(each): values[each.name] for each in verb.list_parameters() if not verb.is_argument(each)
    }
    for name in verb.clears:
        flag = f"--no-{name}"
        if values[name] and values[f"no_{name}"]:
            raise click.UsageError(f"--{name} and {flag} contradict each other. Give one of them.")
        options[flag] = values[f"no_{name}"] or None
    is_required = any(each.is_required and each.name in verb.clears for each in verb.list_parameters())
    if (verb.needs_option or is_required) and not any(value not in (None, ()) for value in options.values()):
        raise click.UsageError(f"Give at least one of {join(options)}.")
    if verb.has_csv:
        check_file_options(values, has_parquet=verb.has_parquet)


def _find_arguments(client: Client, verb: Verb, values: Mapping[str, Any]) -> tuple[list[str], Document]:
    """Return the values of the path, and what the last of them names."""
    arguments: list[str] = []
    record: Document = {}
    for parameter in verb.list_parameters():
        if parameter.place == "path":
            text = values[parameter.name]
            if text is None:
                continue
            find = verb.finds.get(parameter.name)
            record = {"id": text} if find is None else find(client, *arguments, text)
            arguments.append(str(record["id"]))
    return arguments, record


def _is_confirmed(client: Client, verb: Verb, arguments: Sequence[str], values: Mapping[str, Any]) -> bool:
    assert verb.confirms is not None
    operation, question = verb.confirms
    if operation is not None:
        _print_records(verb, make_console(), [getattr(client, operation)(*arguments)])
    if values["yes"] or confirm(make_asker(), question):
        return True
    make_console().print("Nothing was changed.")
    return False


def _write_query(client: Client, verb: Verb, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the query, with ids in place of names, and with times in UTC."""
    named = {each.name: values[each.name] for each in verb.list_parameters() if each.place == "query"}
    if named.get("table") is not None:
        named["table"] = find_table(client, named["table"])["id"]
    if "tables" in named:
        named["tables"] = ",".join(find_table(client, table)["id"] for table in named["tables"]) or None
    if named.get("round") is not None:
        named["round"] = find_round(client, named["round"])["id"]
    if "from" in named:
        named |= Period(named.pop("from"), named.pop("to")).find(client)
    return named


def _write_body(verb: Verb, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of the body that are given; None if the operation has no body."""
    fields = [each for each in PARAMETERS[verb.operation] if each.place == "body"]
    several: Mapping[str, Callable[[Any], Any]] = {"array": list, "object": dict}
    body = {
        each.name: several.get(each.type, lambda value: value)(values[each.name])
        for each in fields
        if values[each.name] not in (None, ())
    }
    body |= {name: {} for name in verb.clears if values[f"no_{name}"]}
    return body if fields else None


def _print_list(client: Client, verb: Verb, items: Iterator[Document], values: Mapping[str, Any]) -> None:
    """Print the items of a list, and of one with CSV whether there are more."""
    assert verb.items is not None
    limit = values.get("limit")
    listed = list(islice(items, None if limit is None else limit + verb.has_csv))
    shown, has_more = listed[:limit], len(listed) > len(listed[:limit])
    if values["as_json"]:
        print_json({verb.items: shown} | ({"has_more": has_more} if verb.has_csv else {}))
        return
    console = make_console()
    _print_records(verb, console, shown if verb.extend is None else verb.extend(client, shown))
    if has_more:
        console.print(f"There are more {verb.items}; --limit shows more, --csv all.", style="dim")


def _print_records(verb: Verb, console: Console, records: Sequence[Document]) -> None:
    """Print records for people: in a table if the row has columns, or else one after another."""
    if not records:
        sentence = f"No {verb.items}." if verb.empty is None else verb.empty
        if sentence:
            console.print(sentence)
    elif verb.columns:
        show_records(console, records, verb.columns)
        if verb.note:
            console.print(Text(verb.note, style="dim"))
    elif verb.show is not None:
        for record in records:
            verb.show(console, record)
