"""What people write into filters: players, tables and rulesets by name, by ID, or by a part of either."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schemas.base import show
from service.console.views.addresses import suggest_tables
from service.db import Transaction
from service.errors import NotFound
from service.players.actions import FoundPlayer, find_player, find_players, suggest_players
from service.rulesets.actions import list_rulesets
from service.tables.actions import list_tables
from service.tables.queries import find_any

_MOST_FOUND: Final = 8
"""How many others a page offers for a text that could be several, or none."""
_MOST_SUGGESTED: Final = 200


@dataclass(frozen=True, slots=True)
class Option:
    """
    What a filter can have.

    Attributes:
        value: what the list is filtered by.
        label: what people call it.
        is_exact: whether the text is its name or ID, and not only a part of them.
    """

    value: str
    label: str
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Finder:
    """
    Finds what a person means by a text.

    Attributes:
        noun: what it finds.
        find: returns what a text can mean, the best matches first.
        suggest: returns what an input suggests.
    """

    noun: str
    find: Callable[[Transaction, str], Sequence[Option]]
    suggest: Callable[[Transaction], Sequence[Option]]


@dataclass(frozen=True, slots=True)
class Found:
    """
    What a text in a filter means.

    Attributes:
        finder: finds it.
        text: as it was written.
        name: of the parameter of the filter.
        option: what is meant; None if nothing is, or if it can be several.
        others: what could be meant instead.
    """

    finder: Finder
    text: str
    name: str
    option: Option | None
    others: Sequence[Option] = ()

    @property
    def sentence(self) -> str:
        """Why nothing is found."""
        if self.others:
            number = "Several" if len(self.others) < _MOST_FOUND else f"{_MOST_FOUND} or more"
            return f"{number} {self.finder.noun}s match “{self.text}”. Which one?"
        return f"There is no {self.finder.noun} “{self.text}”."


def find(transaction: Transaction, finder: Finder, text: str, name: str) -> Found:
    """Find what a text means: the only one that has it as its name or ID, or else the only one that contains it."""
    options = finder.find(transaction, text)
    exact = [each for each in options if each.is_exact]
    for few in (exact, options):
        if len(few) == 1:
            return Found(finder, text, name, few[0])
    return Found(finder, text, name, None, options)


def find_all(
    transaction: Transaction, query: Mapping[str, Any], finders: Mapping[str, Finder]
) -> tuple[dict[str, Any], list[Found]]:
    """
    Find what the texts of a query mean.

    Returns:
        The query with what is meant, and the texts that mean nothing, or can mean several.
    """
    meanings = [
        find(transaction, finder, query[name], name) for name, finder in finders.items() if query[name] is not None
    ]
    values = {each.name: each.option and each.option.value for each in meanings}
    return {**query, **values}, [each for each in meanings if each.option is None]


def refuse_unknown(meaning: Found) -> str:
    """
    Return what a text means.

    Raises:
        NotFound: it means nothing, or can mean several.
    """
    if meaning.option is not None:
        return meaning.option.value
    advice = f"; expected one of {', '.join(show(each.value) for each in meaning.others)}" if meaning.others else ""
    raise NotFound(f"there is no {meaning.finder.noun} {show(meaning.text)}{advice}")


def _find_players(transaction: Transaction, text: str) -> Sequence[Option]:
    known = find_player(transaction, text)
    matches = find_players(transaction, text, _MOST_FOUND) if known is None else [known]
    return [_show_player(each) for each in matches]


def _suggest_players(transaction: Transaction) -> Sequence[Option]:
    return [_show_player(each) for each in suggest_players(transaction, _MOST_SUGGESTED)]


def _show_player(match: FoundPlayer) -> Option:
    label = match.player if match.display_name is None else f"{match.display_name} ({match.player})"
    return Option(match.player, label, match.is_exact)


def _find_tables(transaction: Transaction, text: str) -> Sequence[Option]:
    table = find_any(transaction, text)
    if table is not None:
        return [Option(str(table.id), table.name, is_exact=True)]
    return [
        Option(each.id, each.name if each.archived_at is None else f"{each.name}, archived", each.name == text)
        for is_archived in (False, True)
        for each in list_tables(transaction, containing=text, archived=is_archived, limit=_MOST_FOUND).items
    ][:_MOST_FOUND]


def _suggest_tables(_: Transaction) -> Sequence[Option]:
    return [Option(name, name) for _, name in suggest_tables()]


def _find_rulesets(transaction: Transaction, text: str) -> Sequence[Option]:
    """Find rulesets by name: one of them with all versions, or `name@version`."""
    written = "-".join(text.lower().split())
    name, _, version = written.partition("@")
    names = [each.name for each in list_rulesets(transaction)]
    if name in names:
        return [Option(written if version else name, written, is_exact=True)]
    return [Option(each, each) for each in names if written in each][:_MOST_FOUND]


def _suggest_rulesets(transaction: Transaction) -> Sequence[Option]:
    return [Option(each.name, str(each)) for each in list_rulesets(transaction)]


PLAYER: Final = Finder("player", _find_players, _suggest_players)
TABLE: Final = Finder("table", _find_tables, _suggest_tables)
RULESET: Final = Finder("ruleset", _find_rulesets, _suggest_rulesets)
