"""Pages for people: where they are, and what each kind of problem means."""

from flask import Blueprint, Response, abort, render_template

from service.api.problems import KINDS
from service.version import VERSION

pages = Blueprint("pages", __name__, template_folder="templates")


@pages.get("/")
def show_index() -> str:
    """Say where one is."""
    return render_template("index.html", version=VERSION)


@pages.get("/problems")
def list_problems() -> str:
    """List every kind of problem."""
    return render_template("problems.html", kinds=KINDS)


@pages.get("/problems/<string:code>")
def show_problem(code: str) -> str | Response:
    """Say what a problem means and what to do about it."""
    if code not in KINDS:
        abort(404)
    return render_template("problem.html", code=code, kind=KINDS[code])
