"""The fields of a ruleset: their labels, their values in words, and the form that sends them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schemas.base import Dumped
from scoring.board import Row
from scoring.ruleset import (
    CATEGORY_ROYALTIES,
    ENTRIES,
    LOW_ROYALTIES,
    TOP_ROYALTIES,
    Leaving,
    StakesScope,
    Variant,
    WinLimit,
)

_INTEGER: Final = re.compile(r"-?[0-9]{1,12}", re.ASCII)
NONE: Final = "none"
"""The value of a field that a ruleset does not have, in words."""

Path = tuple[str, ...]
Options = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class RuleField:
    """
    A field of a ruleset.

    Attributes:
        path: where the JSON of a ruleset has it.
        options: the values to choose from and their words; empty for a number.
        is_entry: whether it is an entry of a table, which is omitted if it is empty.
        absent: what no value means, in words.
        falls_back_to: the fields whose value holds if this one is omitted, the nearest one first.
    """

    path: Path
    label: str
    options: Options = ()
    is_entry: bool = False
    absent: str = NONE
    falls_back_to: Sequence[Path] = ()

    @property
    def name(self) -> str:
        """The name of its input."""
        return ".".join(self.path)

    def value(self, ruleset: Dumped) -> Any:
        """Return the value in the JSON of a ruleset; None if it has none."""
        value: Any = ruleset
        for step in self.path:
            value = None if value is None else value.get(step)
        return value

    def written(self, ruleset: Dumped) -> str:
        """Return the value as the form has it."""
        value = self.value(ruleset)
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    def in_words(self, ruleset: Dumped) -> str:
        """Return the value in words."""
        written = self.written(ruleset)
        if not written:
            nearest = (RuleField(path, "").written(ruleset) for path in self.falls_back_to)
            written = next(filter(None, nearest), "")
        return dict(self.options).get(written, written) or self.absent


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Fields that belong together."""

    title: str
    fields: Sequence[RuleField]

    @property
    def is_table(self) -> bool:
        """Whether all its fields are entries of a table."""
        return all(field.is_entry for field in self.fields)


@dataclass(frozen=True, slots=True)
class ComparedField:
    """A field of two rulesets, in words."""

    group: str
    label: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether the two rulesets differ in it."""
        return self.before != self.after


_YES_NO: Final = (("true", "yes"), ("false", "no"))
_VARIANTS: Final = tuple((each.value, each.value.capitalize()) for each in Variant)
_SCOPES: Final = (
    (StakesScope.HAND.value, "each hand"),
    (StakesScope.FANTASYLAND.value, "a hand and the Fantasyland hands after it"),
    (StakesScope.ROUND.value, "the round"),
)
_WIN_LIMITS: Final = (
    (WinLimit.STACK.value, "the current stack"),
    (WinLimit.OPENING.value, "the opening stack"),
    (WinLimit.NONE.value, "nothing"),
)
_LEAVING: Final = (
    (Leaving.BETWEEN_HANDS.value, "between hands"),
    (Leaving.BETWEEN_ROUNDS.value, "only between rounds"),
)


def _words(name: str) -> str:
    """
    Return a category or a low as words.

    >>> _words("full_house"), _words("QQ"), _words("75432")
    ('full house', 'QQ', '7-5-4-3-2')
    """
    return "-".join(name) if name == LOW_ROYALTIES[-1] else name.replace("_", " ")


def _table(*path: str, names: Sequence[str]) -> Sequence[RuleField]:
    return tuple(RuleField((*path, name), _words(name), is_entry=True) for name in names)


def _entries() -> Sequence[RuleField]:
    """Return the fields of entries into Fantasyland; a better top row enters with the cards of the next lower entry."""
    paths = [("fantasyland", "enter", name) for name in ENTRIES]
    return tuple(
        RuleField(path, _words(path[-1]), is_entry=True, falls_back_to=paths[:place][::-1])
        for place, path in enumerate(paths)
    )


def _stay(row: Row, names: Sequence[str]) -> RuleField:
    options = (("", NONE), *((name, f"{_words(name)} or better") for name in names))
    return RuleField(("fantasyland", "stay", row.value), f"Stays with, in the {row.value} row", options)


GROUPS: Final[Sequence[RuleGroup]] = (
    RuleGroup(
        "Deal and players",
        (
            RuleField(("variant",), "Deal", _VARIANTS),
            RuleField(("players", "min"), "Fewest players"),
            RuleField(("players", "max"), "Most players"),
            RuleField(("low_middle",), "The middle row is deuce-to-seven low", _YES_NO),
        ),
    ),
    RuleGroup(
        "Points",
        (
            RuleField(("points", "row"), "A row"),
            RuleField(("points", "majority_bonus"), "Bonus for two rows"),
            RuleField(("points", "scoop_bonus"), "Bonus for a scoop"),
            RuleField(("points", "foul_penalty"), "Paid by a foul board"),
        ),
    ),
    RuleGroup("Royalties, top row", _table("royalties", "top", names=TOP_ROYALTIES)),
    RuleGroup("Royalties, middle row", _table("royalties", "middle", names=(*CATEGORY_ROYALTIES, *LOW_ROYALTIES))),
    RuleGroup("Royalties, bottom row", _table("royalties", "bottom", names=CATEGORY_ROYALTIES)),
    RuleGroup("Fantasyland cards for the top row, and better ones", _entries()),
    RuleGroup(
        "Fantasyland",
        (
            RuleField(("fantasyland", "enter_low", "cards"), "Cards for 7-5-4-3-2 in the middle", is_entry=True),
            RuleField(
                ("fantasyland", "enter_low", "both"),
                "Cards for 7-5-4-3-2 together with the top row",
                is_entry=True,
            ),
            _stay(Row.TOP, ("pair", "three_of_a_kind")),
            _stay(Row.MIDDLE, CATEGORY_ROYALTIES),
            _stay(Row.BOTTOM, CATEGORY_ROYALTIES),
            RuleField(("fantasyland", "stay_cards"), "Cards for a player who stays"),
            RuleField(("fantasyland", "stay_limit"), "Most stays in a row", absent="no limit"),
        ),
    ),
    RuleGroup(
        "Stakes",
        (
            RuleField(("stakes", "scope"), "Stacks count over", _SCOPES),
            RuleField(("stakes", "win_limit"), "A player cannot win more than", _WIN_LIMITS),
            RuleField(("leaving",), "Players can leave and top up", _LEAVING),
        ),
    ),
)
"""Every field of a ruleset except its name and its version."""


def compare_fields(before: Dumped, after: Dumped) -> Iterator[ComparedField]:
    """Yield every field of two rulesets, except those that neither has."""
    for group in GROUPS:
        for field in group.fields:
            compared = ComparedField(group.title, field.label, field.in_words(before), field.in_words(after))
            if not field.is_entry or compared.before != NONE or compared.after != NONE:
                yield compared


def read_ruleset_form(form: Mapping[str, str]) -> Dumped:
    """
    Return the JSON of the ruleset that a form has sent. Values that are not valid stay as they were sent.

    >>> sent = read_ruleset_form({"name": "house", "points.row": "2", "royalties.top.QQ": "7", "players.min": "two"})
    >>> sent["name"], sent["points"]["row"], sent["royalties"]["top"], sent["players"]["min"]
    ('house', 2, {'QQ': 7}, 'two')
    >>> sent["fantasyland"]["enter_low"], sent["fantasyland"]["stay_limit"]
    (None, None)
    """
    ruleset: Dumped = {"name": form.get("name", "").strip()}
    for group in GROUPS:
        for field in group.fields:
            value = _read(form.get(field.name, "").strip(), field)
            part = ruleset
            for step in field.path[:-1]:
                part = part.setdefault(step, {})
            if value is not None or not field.is_entry:
                part[field.path[-1]] = value
    fantasyland = ruleset["fantasyland"]
    fantasyland["enter_low"] = fantasyland["enter_low"] or None
    return ruleset


def _read(written: str, field: RuleField) -> Any:
    if written == "":
        return None
    if field.options == _YES_NO:
        return {"true": True, "false": False}.get(written, written)
    return int(written) if not field.options and _INTEGER.fullmatch(written) else written
