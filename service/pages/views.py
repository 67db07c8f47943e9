"""HTML pages: the index, the API reference and the kinds of problems."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from service.compression import send_static
from service.examples import PROBLEMS, read_examples
from service.http.problem_kinds import PROBLEM_KINDS
from service.openapi import WHOLE_CONTRACT
from service.openapi_published import WHOLE
from service.pages.apps import POLICY as APP_POLICY
from service.version import VERSION

STATIC: Final = Path(__file__).parent / "static"
SWAGGER_UI: Final = ("reference/swagger-ui-bundle.js", "reference/swagger-ui.css")
"""Files of Swagger UI, which `make setup` installs from npm."""

_POLICY: Final = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_REFERENCE_POLICY: Final = f"{_POLICY}; script-src 'self'; connect-src 'self'; img-src data:"
"""The reference also runs scripts and sends requests, both of this service only; its style sheet has its icons."""

pages = Blueprint("pages", __name__, template_folder="templates")


@pages.after_request
def set_headers(response: Response) -> Response:
    """Set what a page may load, and how long a file is cached: for a year if its address has the file's hash."""
    name = request.view_args.get("filename", "") if request.view_args else ""
    is_hashed = name.startswith("web/assets/")
    policy = _REFERENCE_POLICY if request.endpoint == "pages.show_docs" else _POLICY
    # A worker obeys the policy of its own script.
    response.headers["Content-Security-Policy"] = APP_POLICY if is_hashed else policy
    if request.endpoint == "pages.send_file" and response.status_code < 400:
        if is_hashed or request.args.get("v") == hash_file(name):
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    elif "Authorization" not in request.headers:
        response.headers["Cache-Control"] = "no-cache"
    return response


def hash_file(name: str) -> str:
    """Return the start of the hash of a static file."""
    path = STATIC / name
    return _hash(path, path.stat().st_mtime_ns)


@cache
def _hash(path: Path, _changed: int) -> str:
    return sha256(path.read_bytes()).hexdigest()[:16]


@pages.app_template_global()
def asset(name: str) -> str:
    """Return the address of a static file, which is another one as soon as the file changes."""
    return url_for("pages.send_file", filename=name, v=hash_file(name))


@pages.get("/static/<path:filename>")
def send_file(filename: str) -> BaseResponse:
    """Send a static file."""
    return send_static(STATIC, filename)


@pages.get(f"/{WHOLE}")
def send_whole_contract() -> BaseResponse:
    """Send the whole contract, from which the API reference is made."""
    return send_static(WHOLE_CONTRACT.parent, WHOLE, "application/yaml")


@pages.get("/")
def show_index() -> str:
    """Render the index page."""
    return render_template("index.html", version=VERSION)


@pages.get("/docs")
def show_docs() -> str:
    """Render the API reference, or what is missing for it."""
    is_installed = all((STATIC / name).is_file() for name in SWAGGER_UI)
    return render_template("docs.html", version=VERSION, is_installed=is_installed)


@pages.get("/problems")
def list_problems() -> str:
    """Render the list of problem kinds."""
    return render_template("problems.html", kinds=PROBLEM_KINDS)


@pages.get("/problems/<string:code>")
def show_problem(code: str) -> str:
    """Render the page of a problem kind: its meaning and what to do about it."""
    if code not in PROBLEM_KINDS:
        abort(404)
    problem = read_examples()[PROBLEMS].get(code)
    example = json.dumps(problem, ensure_ascii=False, indent=2) if problem else None
    return render_template("problem.html", code=code, kind=PROBLEM_KINDS[code], example=example)
