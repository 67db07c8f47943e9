"""Filters of the templates of players' pages: names from lists, in the language of the page, and marks of names."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from flask import Flask
from markupsafe import Markup

from schemas.disputes import DisputeState
from schemas.settlements import SettlementState
from scoring.board import Row
from scoring.explanation.reasons import Part, Rule
from scoring.round_state import RoundStatus
from service.http.language import LANGUAGES, current_language, gettext, ngettext, pgettext, translate

NAMES: Final[Mapping[str, tuple[str, Iterable[str]]]] = {
    "dispute_state": ("state of a dispute", DisputeState),
    "part_name": ("part of points", Part),
    "round_status": ("status of a round", RoundStatus),
    "row_name": ("row", Row),
    "rule_name": ("rule", Rule),
    "settlement_state": ("state of a settlement", SettlementState),
}
"""The context and the names of each filter that names something. `make generate` adds them to the messages."""


def add_to_templates(app: Flask) -> None:
    """Add the messages and the filters of players' pages to the templates."""
    functions = {"gettext": gettext, "ngettext": ngettext, "pgettext": pgettext, "current_language": current_language}
    app.jinja_env.globals |= {**functions, "LANGUAGES": LANGUAGES}
    app.jinja_env.filters |= {"translated": translate, "bdi": mark_name, "strong": mark_amount}
    app.jinja_env.filters |= {name: partial(name_in, context) for name, (context, _) in NAMES.items()}


def name_in(context: str, name: str) -> str:
    """
    Return a name from one of the lists.

    >>> name_in("state of a dispute", "under_review")
    'under review'
    """
    return pgettext(context, str(name).replace("_", " "))


def mark_name(name: str) -> Markup:
    """
    Return a name as an element of its own, so that its direction of writing does not change the text around it.

    >>> mark_name("<bob>")
    Markup('<bdi>&lt;bob&gt;</bdi>')
    """
    return Markup("<bdi>{}</bdi>").format(name)


def mark_amount(amount: object) -> Markup:
    """
    Return an amount in bold.

    >>> mark_amount("€4.80")
    Markup('<strong>€4.80</strong>')
    """
    return Markup("<strong>{}</strong>").format(amount)
