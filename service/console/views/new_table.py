"""The form that creates a table of the club."""

from http import HTTPStatus
from typing import Any, Final

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.tables import TableRequestSchema
from service.clubs.scopes import KeyScope
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import read_form
from service.console.views.tables import read_value
from service.http.authentication import current_transaction
from service.rulesets.actions import list_rulesets
from service.tables.actions import add_table

_FIELDS: Final = ("name", "ruleset", "point_value", "unit", "minimum_stack")
_REQUEST: Final = TableRequestSchema()
_FIRST: Final = "pineapple"
"""The ruleset that the form suggests."""


@console.get("/tables/new")
@console_page(KeyScope.TABLES)
def show_new_table() -> str:
    """Render the form that creates a table."""
    rulesets = [ruleset.name for ruleset in list_rulesets(current_transaction())]
    return render(
        "new_table.html",
        rulesets=[(name, name) for name in sorted(rulesets)],
        chosen={"ruleset": _FIRST} | read_form(),
    )


@console.post("/tables/new")
@console_form(KeyScope.TABLES, show_again=show_new_table)
def create_table() -> BaseResponse:
    """Create a table, and show its page. The form sent twice creates one table."""
    form = {name: value for name in _FIELDS if (value := read_form().get(name, "").strip())}
    fields: dict[str, Any] = {name: read_value(name, text) for name, text in form.items()}
    table = add_table(current_transaction(), load(_REQUEST, fields)).view
    return redirect(url_for("console.show_table", table_id=table.id), HTTPStatus.SEE_OTHER)
