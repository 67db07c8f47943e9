"""Pages for people: where they are, what can be asked of the service, and what each kind of problem means."""

import re
from typing import Final

from flask import Blueprint, Response, abort, current_app, render_template
from markupsafe import Markup, escape

from service.examples import PROBLEMS, read_examples
from service.http.problem_kinds import PROBLEM_KINDS
from service.openapi import ContractApi
from service.pages.reference import read_contract, show_json
from service.version import VERSION

SAFE: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
}
"""A page loads its own style and nothing else, whatever may get into it."""

pages = Blueprint("pages", __name__, template_folder="templates", static_folder="static", static_url_path="/static")


@pages.after_request
def keep_safe(response: Response) -> Response:
    """Tell browsers what a page may do."""
    response.headers.update(SAFE)
    return response


@pages.app_template_filter("prose")
def write_prose(text: str) -> Markup:
    """
    Write a text of the contract, in which backticks enclose what is typed and empty lines part paragraphs.

    >>> write_prose("One `<b>`.")
    Markup('One <code>&lt;b&gt;</code>.')
    """
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup("</p><p>".join(coded.split("\n\n")))


@pages.get("/")
def show_index() -> str:
    """Say where one is."""
    return render_template("index.html", version=VERSION)


@pages.get("/docs")
def show_docs() -> str:
    """Show all that can be asked of the service, from its own contract."""
    contract: ContractApi = current_app.extensions["ofc_contract"]
    return render_template("docs.html", reference=read_contract(contract.document))


@pages.get("/problems")
def list_problems() -> str:
    """List every kind of problem."""
    return render_template("problems.html", kinds=PROBLEM_KINDS)


@pages.get("/problems/<string:code>")
def show_problem(code: str) -> str | Response:
    """Say what a problem means and what to do about it."""
    if code not in PROBLEM_KINDS:
        abort(404)
    answered = read_examples()[PROBLEMS].get(code)
    example = show_json(answered) if answered else None
    return render_template("problem.html", code=code, kind=PROBLEM_KINDS[code], example=example)
