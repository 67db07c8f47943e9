"""Rulesets: presets and custom ones, compared field by field, and what they would have changed at a table."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Final

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.game_fields import RulesetReference, TableNameField
from schemas.money import Unit, show_decimal
from schemas.pages import QuerySchema, cursor_error
from schemas.rulesets import dump_ruleset
from scoring.presets import PRESETS
from scoring.ruleset import Ruleset
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_known_query
from service.console.views.exports import Column, send_list, wanted_form
from service.console.views.listing import Listing, Part, Query, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.ruleset_fields import GROUPS, ComparedField, compare_fields, read_ruleset_form
from service.console.views.session import read_form
from service.db import Transaction
from service.errors import NotFound
from service.http.authentication import current_transaction
from service.players.actions import list_names
from service.recomputations.actions.what_if import PlayerWhatIf, TableWhatIf, replay_table
from service.rulesets import queries as rulesets
from service.rulesets.actions import add_ruleset, get_ruleset, read_new_ruleset
from service.tables import queries as tables

_DEFAULT: Final = "pineapple"
"""The ruleset that forms start with."""


class ComparedQuerySchema(QuerySchema):
    """The two rulesets to compare."""

    from_ruleset = RulesetReference(data_key="from")
    to_ruleset = RulesetReference(data_key="to")


class WhatIfQuerySchema(QuerySchema):
    """The other ruleset, and the table whose rounds are replayed."""

    ruleset = RulesetReference()
    table = TableNameField()


@dataclass(frozen=True, slots=True)
class RulesetRow:
    """A ruleset of the list."""

    ruleset: Ruleset

    @property
    def kind(self) -> str:
        """Whether it is part of the product or the club's own."""
        return "preset" if self.ruleset.name in PRESETS else "custom"

    @property
    def fantasyland(self) -> str:
        """What enters Fantasyland, with how many cards."""
        entries = self.ruleset.fantasyland.enter.items()
        return ", ".join(f"{name} {cards}" for name, cards in entries) or "none"


def _read_rulesets(transaction: Transaction, query: Query, after: str | None, limit: int) -> Part[RulesetRow]:
    """Read the club's own versions; files have the presets after them."""
    rows = [RulesetRow(each) for each in _list_all(transaction)]
    if query["form"] is None:
        rows = [row for row in rows if row.kind == "custom"]
    begin = 0 if after is None else _place_after(rows, after)
    shown = rows[begin : begin + limit]
    return Part(shown, str(shown[-1].ruleset) if begin + limit < len(rows) else None)


RULESETS: Final = Listing[RulesetRow](
    name="rulesets",
    title="Rulesets",
    label="Own rulesets",
    columns=(
        Column("ruleset", lambda row: str(row.ruleset), "Ruleset", "ruleset_name", is_header=True),
        Column("kind", lambda row: row.kind),
        Column("variant", lambda row: row.ruleset.variant.value, "Deal"),
        Column("players_min", lambda row: row.ruleset.players.min, "Players", "ruleset_players", style="figure"),
        Column("players_max", lambda row: row.ruleset.players.max),
        Column("low_middle", lambda row: row.ruleset.low_middle, "Middle", "ruleset_middle"),
        Column("fantasyland", lambda row: row.fantasyland, "Enters Fantasyland, cards"),
        Column("scope", lambda row: row.ruleset.stakes.scope.value, "Stacks count over"),
        Column("win_limit", lambda row: row.ruleset.stakes.win_limit.value, "Win limit"),
        Column("leaving", lambda row: row.ruleset.leaving.value),
    ),
    read=_read_rulesets,
    count=lambda transaction, _query, limit: rulesets.count_others(transaction, PRESETS.keys(), limit),
    rows=("ruleset", "rulesets"),
    none="The club has no rulesets of its own. Make one from a preset: change what your room plays differently.",
    cursor=RulesetReference(),
    show_cursor=str,
    is_stacked=False,
)
_COMPARED: Final[Sequence[Column[ComparedField]]] = (
    Column("group", lambda field: field.group),
    Column("field", lambda field: field.label),
    Column("from", lambda field: field.before),
    Column("to", lambda field: field.after),
    Column("differs", lambda field: field.differs),
)
WhatIfLine = tuple[PlayerWhatIf, bool, Unit | None]
"""A player, whether the line has their points, and the unit of the line: a line for each."""

_WHAT_IF: Final[Sequence[Column[WhatIfLine]]] = (
    Column("player", lambda line: line[0].player),
    Column("recorded", lambda line: line[0].before if line[1] else None),
    Column("what_if", lambda line: line[0].after if line[1] else None),
    Column("change", lambda line: line[0].change if line[1] else None),
    Column("amount", lambda line: line[2] and show_decimal(line[0].money[line[2]], line[2]), is_decimal=True),
    Column("unit", lambda line: line[2] and line[2].code),
)


@console.get("/rulesets")
@console_page(KeyScope.READ)
def list_rulesets() -> str | BaseResponse:
    """Render the rulesets, a page of the club's own versions first, or send all as a file."""
    rows = [RulesetRow(each) for each in _list_all(current_transaction())]
    presets = [row for row in rows if row.kind == "preset"]
    return show_list(RULESETS, "rulesets.html", presets=presets, references=_references(rows))


def _place_after(rows: Sequence[RulesetRow], reference: str) -> int:
    """
    Return the place in the list after a ruleset.

    Raises:
        WireError: the list does not have it.
    """
    for place, row in enumerate(rows, start=1):
        if str(row.ruleset) == reference:
            return place
    raise cursor_error(reference)


def _list_all(transaction: Transaction) -> list[Ruleset]:
    """List every version of the club's own rulesets, and the presets."""
    custom = [each for each in rulesets.list_all(transaction) if each.name not in PRESETS]
    return [*custom, *PRESETS.values()]


def _references(rows: Sequence[RulesetRow]) -> list[tuple[str, str]]:
    """Return the rulesets as options of a selection."""
    return [(str(row.ruleset), str(row.ruleset)) for row in rows]


@console.get("/rulesets/<string:reference>")
@console_page(KeyScope.READ)
def show_ruleset(reference: str) -> str:
    """Render a ruleset with all its fields."""
    transaction = current_transaction()
    ruleset = get_ruleset(transaction, reference)
    rows = [RulesetRow(each) for each in _list_all(transaction)]
    document = dump_ruleset(ruleset)
    return render(
        "ruleset.html",
        row=RulesetRow(ruleset),
        groups=[(title, list(fields)) for title, fields in groupby(compare_fields(document, document), _group)],
        versions=[row.ruleset for row in rows if row.ruleset.name == ruleset.name],
        references=_references(rows),
    )


def _group(field: ComparedField) -> str:
    return field.group


@console.get("/rulesets/compare")
@console_page(KeyScope.READ)
def compare_rulesets() -> str | BaseResponse:
    """Render two rulesets field by field, or send the comparison as a file."""
    transaction = current_transaction()
    query = read_known_query(ComparedQuerySchema())
    before = get_ruleset(transaction, query["from_ruleset"] or _DEFAULT)
    after = get_ruleset(transaction, query["to_ruleset"] or str(before))
    fields = list(compare_fields(dump_ruleset(before), dump_ruleset(after)))
    form = wanted_form()
    if form is not None:
        return send_list(f"{before}-{after}", form, _COMPARED, fields)
    rows = [RulesetRow(each) for each in _list_all(transaction)]
    return render(
        "ruleset_comparison.html",
        before=before,
        after=after,
        fields=fields,
        references=_references(rows),
    )


def _list_lines(players: Iterable[PlayerWhatIf]) -> Iterator[WhatIfLine]:
    """Yield a line for each player and unit; the first one has the points, so that a column adds up."""
    for each in players:
        for number, unit in enumerate(each.money or (None,)):
            yield each, number == 0, unit


@console.get("/rulesets/what-if")
@console_page(KeyScope.READ)
def show_what_if() -> str | BaseResponse:
    """Render what the players of a table would have won under another ruleset, or send it as a file."""
    transaction = current_transaction()
    query = read_known_query(WhatIfQuerySchema())
    ruleset = get_ruleset(transaction, query["ruleset"] or _DEFAULT)
    what_if = _replay(transaction, query["table"], ruleset) if query["table"] else None
    form = wanted_form()
    if what_if is not None and form is not None:
        return send_list(f"what-if-{ruleset}", form, _WHAT_IF, _list_lines(what_if.players))
    rows = [RulesetRow(each) for each in _list_all(transaction)]
    return render(
        "ruleset_what_if.html",
        ruleset=ruleset,
        table=query["table"],
        what_if=what_if,
        display_names=_list_names(transaction, what_if),
        references=_references(rows),
    )


def _replay(transaction: Transaction, table: str, ruleset: Ruleset) -> TableWhatIf:
    record = tables.find_any(transaction, table)
    if record is None:
        raise NotFound(f"there is no table named {table!r}")
    return replay_table(transaction, record.id, ruleset)


def _list_names(transaction: Transaction, what_if: TableWhatIf | None) -> dict[str, str]:
    return list_names(transaction, [each.player for each in what_if.players]) if what_if else {}


@console.get("/rulesets/new")
@console_page(KeyScope.TABLES)
def show_new_ruleset() -> str:
    """Render the form of a new version or a new ruleset, filled from an existing one."""
    transaction = current_transaction()
    base = get_ruleset(transaction, _base())
    return _render_form(base, read_form() or _form_of(base))


@console.post("/rulesets/new")
@console_form(KeyScope.TABLES, show_again=show_new_ruleset)
def preview_ruleset() -> str:
    """Show what a new ruleset changes, and what it would have changed at a table. Nothing is stored."""
    transaction, form = current_transaction(), read_form()
    base = get_ruleset(transaction, _base())
    ruleset, is_stored = read_new_ruleset(transaction, read_ruleset_form(form))
    compared = compare_fields(dump_ruleset(base), dump_ruleset(ruleset))
    table = form.get("table", "").strip()
    what_if = _replay(transaction, table, ruleset) if table else None
    return _render_form(
        base,
        form,
        ruleset=ruleset,
        is_stored=is_stored,
        changed=[field for field in compared if field.differs],
        table=table,
        what_if=what_if,
        display_names=_list_names(transaction, what_if),
    )


@console.post("/rulesets")
@console_form(KeyScope.TABLES, show_again=show_new_ruleset)
def store_ruleset() -> BaseResponse:
    """Store a new ruleset, or a new version of one."""
    stored, _ = add_ruleset(current_transaction(), read_ruleset_form(read_form()))
    return redirect(url_for("console.show_ruleset", reference=str(stored)), HTTPStatus.SEE_OTHER)


def _base() -> str:
    return request.args.get("from") or _DEFAULT


def _render_form(base: Ruleset, values: object, **preview: object) -> str:
    return render("ruleset_form.html", base=base, groups=GROUPS, values=values, **{"ruleset": None, **preview})


def _form_of(base: Ruleset) -> dict[str, str]:
    """Return the form of a ruleset; a preset needs another name."""
    name = f"{base.name}-house" if base.name in PRESETS else base.name
    return {"name": name, **dict(_inputs(base))}


def _inputs(base: Ruleset) -> Iterator[tuple[str, str]]:
    document = dump_ruleset(base)
    for group in GROUPS:
        for field in group.fields:
            yield field.name, field.written(document)
