"""The pages that run in the browser, such as the scorekeeper's page. `make web` builds their files."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from service.compression import send_static
from service.errors import NotFound

BUILT: Final = Path(__file__).parent / "static" / "web"
"""The built files: a folder of each page, and `assets/`, whose names contain hashes of their content."""

RULES: Final = Path(__file__).parent / "static" / "rules"
"""The rules that a page runs in a worker: Python in WebAssembly, and the files of the scorer."""

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""What a page may load: files of this service only, none of them inline."""

_FEATURES: Final = "geolocation=(), microphone=(), payment=(), usb=()"
_PERMISSIONS: Final = {"board": f"camera=(), {_FEATURES}", "scorekeeper": f"camera=(self), {_FEATURES}"}
"""Which features of the device a page may use: the scorekeeper's page scans links with the camera."""

apps = Blueprint("apps", __name__)


@apps.after_request
def set_headers(response: Response) -> Response:
    """Set what a page may load, and that browsers ask for a newer version each time."""
    response.headers["Content-Security-Policy"] = POLICY
    page = (request.view_args or {}).get("page", "")
    if page in _PERMISSIONS:
        response.headers["Permissions-Policy"] = _PERMISSIONS[page]
    if response.status_code < 400:
        response.headers["Cache-Control"] = "no-cache"
    return response


@apps.get("/<any(board, scorekeeper):page>/")
def show_app(page: str) -> BaseResponse:
    """Send the scoreboard or the scorekeeper's page."""
    # The service worker of a page controls the addresses below the page only.
    if not request.path.endswith("/"):
        return redirect(url_for("apps.show_app", page=page), 308)
    return send_file(f"{page}/index.html")


@apps.get("/<any(board, scorekeeper):page>/sw.js")
def send_worker(page: str) -> BaseResponse:
    """Send the service worker of a page."""
    return send_file(f"{page}/sw.js")


@apps.get("/scorekeeper/rules/<string:name>")
def send_rules(name: str) -> BaseResponse:
    """Send a file of the rules. Its address is below the page, so that the service worker of the page stores it."""
    return send_file(name, RULES)


def find_built(page: str, ending: str) -> str:
    """Return the address of the built script or style of a page."""
    return url_for("pages.send_file", filename=f"web/assets/{_name_of(page, ending)}")


def read_built(page: str, ending: str) -> str:
    """Return the built script or style of a page, for a document that must not load anything."""
    return (BUILT / "assets" / _name_of(page, ending)).read_text(encoding="utf-8")


def _name_of(page: str, ending: str) -> str:
    return _find_name(page, ending, (BUILT / "files.json").stat().st_mtime_ns)


@cache
def _find_name(page: str, ending: str, _changed: int) -> str:
    names: dict[str, Any] = json.loads((BUILT / "files.json").read_text(encoding="utf-8"))
    return next(name for name in names if name.startswith(f"{page}-") and name.endswith(ending))


def send_file(name: str, folder: Path | None = None) -> BaseResponse:
    """Send a built file of a page."""
    folder = folder or BUILT
    if not (folder / name).is_file():
        raise NotFound("The page has no file of this name; `make web` builds the pages.")
    return send_static(folder, name)
