"""The pages that run in the browser, such as the scorekeeper's page. `make web` builds their files."""

from pathlib import Path
from typing import Final

from flask import Blueprint, Response, redirect, request, send_from_directory, url_for
from werkzeug.wrappers import Response as BaseResponse

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

apps = Blueprint("apps", __name__)


@apps.after_request
def set_headers(response: Response) -> Response:
    """Set what a page may load, and that browsers ask for a newer version each time."""
    response.headers["Content-Security-Policy"] = POLICY
    if response.status_code < 400:
        response.headers["Cache-Control"] = "no-cache"
    return response


@apps.get("/keeper/")
def show_keeper() -> BaseResponse:
    """Send the scorekeeper's page."""
    # The service worker of the page controls the addresses below `/keeper/` only.
    if not request.path.endswith("/"):
        return redirect(url_for("apps.show_keeper"), 308)
    return send_file("keeper/index.html")


@apps.get("/keeper/sw.js")
def send_keeper_worker() -> BaseResponse:
    """Send the service worker of the scorekeeper's page."""
    return send_file("keeper/sw.js")


@apps.get("/keeper/rules/<string:name>")
def send_rules(name: str) -> BaseResponse:
    """Send a file of the rules. Its address is below the page, so that the service worker of the page stores it."""
    return send_file(name, RULES)


def send_file(name: str, folder: Path | None = None) -> BaseResponse:
    """Send a built file of a page."""
    folder = folder or BUILT
    if not (folder / name).is_file():
        raise NotFound("The service has no such file of its pages; 'make web' builds them.")
    return send_from_directory(folder, name)
