"""HTML pages: the index, the API reference and the kinds of problems."""

import re
from typing import Final

from flask import Blueprint, Response, abort, current_app, render_template
from markupsafe import Markup, escape

from service.examples import PROBLEMS, read_examples
from service.http.problems import KINDS
from service.openapi import ContractApi
from service.pages.reference import read_contract, show_json
from service.version import VERSION

SAFE: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
}
"""Pages load their own style sheet and nothing else."""

pages = Blueprint("pages", __name__, template_folder="templates", static_folder="static", static_url_path="/static")


@pages.after_request
def set_security_headers(response: Response) -> Response:
    """Set the content security policy of a page."""
    response.headers.update(SAFE)
    return response


@pages.app_template_filter("prose")
def write_prose(text: str) -> Markup:
    """
    Convert a description to HTML: backticks become code, empty lines separate paragraphs.

    >>> write_prose("One `<b>`.")
    Markup('One <code>&lt;b&gt;</code>.')
    """
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup("</p><p>".join(coded.split("\n\n")))


@pages.get("/")
def show_index() -> str:
    """Render the index page."""
    return render_template("index.html", version=VERSION)


@pages.get("/docs")
def show_docs() -> str:
    """Render the API reference from the OpenAPI document."""
    contract: ContractApi = current_app.extensions["ofc_contract"]
    return render_template("docs.html", reference=read_contract(contract.document))


@pages.get("/problems")
def list_problems() -> str:
    """Render the list of problem kinds."""
    return render_template("problems.html", kinds=KINDS)


@pages.get("/problems/<string:code>")
def show_problem(code: str) -> str | Response:
    """Render the page of a problem kind: its meaning and what to do about it."""
    if code not in KINDS:
        abort(404)
    answered = read_examples()[PROBLEMS].get(code)
    example = show_json(answered) if answered else None
    return render_template("problem.html", code=code, kind=KINDS[code], example=example)
