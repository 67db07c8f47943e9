"""What all pages of the console share: the session, scopes, forms, the layout and refusals."""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from inspect import unwrap
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireError
from schemas.problems import refuse
from schemas.sentences import describe_kind, describe_mistake, sentences_of
from scoring.errors import ScoringError
from service.clubs.scopes import KeyScope
from service.console.views.addresses import address_with, filter_of, next_page, player_address, previous_page
from service.console.views.navigation.menu import find_first_page, read_menu
from service.console.views.session import (
    BY_SESSION,
    COOKIE,
    PATH,
    FormForged,
    SignedOut,
    allows,
    check_csrf,
    check_origin,
    club_zone,
    console_state,
    csrf_token,
    current_session,
    find_console_state,
    read_form,
    receive_form,
)
from service.database_errors import DatabaseError
from service.errors import NotFound, ScopeMissing, ServiceError, TooManyRequests
from service.http.authentication import Access, current_key, database, open_writing, with_key, with_key_to_upload
from service.http.formats import (
    format_amount,
    format_day,
    format_duration,
    format_figure,
    format_money,
    format_money_won,
    format_short_time,
    format_signed,
    format_time,
    format_unit,
    gain_or_loss,
    show_card,
)
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.problems import MEDIA_TYPE
from service.http.request_state import current_request
from service.http.responses import NO_STORE
from service.http.uploads import receive_upload
from service.pages.apps import find_built
from service.plots.views.figures import show_plot

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_REFERRER: Final = "same-origin"
"""With `no-referrer`, browsers would send the origin `null` with the forms of these pages, as other sites can too."""
_HTML: Final = "text/html; charset=utf-8"

Refusal = ServiceError | ScoringError | WireError

console = Blueprint("console", __name__, template_folder="templates", url_prefix=PATH)


@console.after_request
def set_headers(response: Response) -> Response:
    """Set what a page may load, and that nobody stores it; show problems as pages."""
    response.headers.setdefault("Content-Security-Policy", _POLICY)
    response.headers["Referrer-Policy"] = _REFERRER
    response.headers.update(NO_STORE)
    if response.mimetype == MEDIA_TYPE:
        problem = current_request().problem
        assert problem is not None, "the response is a problem"
        title, detail = PROBLEM_KINDS[problem].title, describe_kind(problem)
        response.set_data(render_template("console/problem.html", title=title, detail=detail, **_layout()))
        response.content_type = _HTML
    return response


@console.errorhandler(SignedOut)
def ask_to_sign_in(_error: SignedOut) -> BaseResponse:
    """Redirect to the page to sign in, and from there to the page that was asked for."""
    address = request.full_path.rstrip("?") if request.method == "GET" else None
    response = redirect(url_for("console.show_sign_in", next=address), HTTPStatus.SEE_OTHER)
    response.delete_cookie(COOKIE, path=PATH)
    return response


@console.errorhandler(FormForged)
def refuse_form(_error: FormForged) -> tuple[str, int]:
    """Explain that a form was not accepted."""
    detail = (
        "The form was not sent by this page or by this session. Nothing was changed. Open the page again and retry."
    )
    return _render_problem("Form not accepted", detail, HTTPStatus.FORBIDDEN)


@console.errorhandler(ScopeMissing)
def show_forbidden(error: ScopeMissing) -> BaseResponse:
    """Explain which scope a page needs. Instead of the home page, show the first page that the key can open."""
    page = find_first_page()
    if page is not None and request.endpoint == "console.show_home":
        return redirect(page, HTTPStatus.SEE_OTHER)
    return show_refusal(error)


@console.errorhandler(ServiceError)
@console.errorhandler(WireError)
@console.errorhandler(ScoringError)
def show_refusal(error: Refusal) -> Response:
    """Show an error as a page. Errors of the database stay private."""
    current_request().problem = problem = refuse(error).code
    kind = PROBLEM_KINDS[problem]
    detail = describe_kind(problem) if isinstance(error, DatabaseError) else as_sentence(error)
    response = current_app.make_response(_render_problem(kind.title, detail, kind.status))
    if isinstance(error, TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


View = Callable[..., Any]
Guarded = Callable[..., BaseResponse]


def console_page(*scopes: KeyScope) -> Callable[[View], Guarded]:
    """
    Run a view in a read-only snapshot of the session's club, as `with_key` does.

    The view returns a text or a response. The key of the session needs one of the scopes.
    """

    def decorate(view: View) -> Guarded:
        @wraps(view)
        def shown(**options: Any) -> BaseResponse:
            # Before a refusal, whose page is rendered after the transaction has ended.
            club_zone()
            return current_app.make_response(view(**options))

        return with_key(shown, Access(scopes), BY_SESSION)

    return decorate


def console_form(*scopes: KeyScope, show_again: View) -> Callable[[View], Guarded]:
    """
    Run a view that changes records in one transaction of the session's club, after its form was checked.

    The key of the session needs one of the scopes, if there are any. The view reads the form from `read_form()` and
    returns a redirect. If it raises a refusal, nothing is changed, and the page is shown again by `show_again`, a page
    with the same arguments; it finds what was sent in `read_form()`, and the form, or else the layout, shows the
    refusal.
    """

    def decorate(view: View) -> Guarded:
        def change(**options: Any) -> BaseResponse:
            state = current_request()
            try:
                with database().session() as session, open_writing(session, current_key()) as transaction:
                    state.transaction = transaction
                    club_zone()
                    return current_app.make_response(view(**options))
            except BaseException:
                # The page that shows the error is rendered after the transaction.
                state.transaction = None
                raise

        @wraps(view)
        def received(**options: Any) -> BaseResponse:
            form = receive_form()
            check_csrf(form)
            console_state().form = form
            return _try(change, show_again, options)

        return _from_own_page(received, scopes)

    return decorate


def console_upload(*scopes: KeyScope, show_again: View) -> Callable[[View], Guarded]:
    """
    Run a view that streams the file of a form, whose field `csrf` comes before the file.

    The view receives the upload and begins its transactions itself: none stays open while the browser sends. A refusal
    shows the page again, as `console_form` does.
    """

    def decorate(view: View) -> Guarded:
        @wraps(view)
        def received(**options: Any) -> BaseResponse:
            upload = receive_upload()
            check_csrf(upload.fields)
            console_state().form = dict(upload.fields)
            return _try(lambda **_: current_app.make_response(view(upload, **options)), show_again, options)

        return _from_own_page(received, scopes)

    return decorate


def _from_own_page(view: Guarded, scopes: tuple[KeyScope, ...]) -> Guarded:
    """Run a view that receives a form of a page of the session, whose key needs one of the scopes."""
    admitted = with_key_to_upload(view, Access(scopes), BY_SESSION)

    @wraps(view)
    def checked(**options: Any) -> BaseResponse:
        check_origin()
        response: BaseResponse = admitted(**options)
        return response

    return checked


@console.get("/<path:unknown>")
@console_page()
def show_unknown(unknown: str) -> BaseResponse:
    """Show that a page does not exist; without a session, ask to sign in."""
    raise NotFound(f"The console has no page {PATH}/{unknown[:80]}")


def _try(view: Guarded, show_again: View, options: Mapping[str, Any]) -> BaseResponse:
    """Run a view; if it raises a refusal, show the page again. Errors of the database are no refusals."""
    try:
        return view(**options)
    except (ServiceError, ScoringError, WireError) as error:
        if isinstance(error, DatabaseError):
            raise
        console_state().refusal = as_sentence(error)
        current_request().problem = problem = refuse(error).code
    with database().session() as session:
        current_request().transaction = session.reading(current_key().club_id)
        club_zone()
        # The request is authenticated: only the view of the page is run.
        response = current_app.make_response(unwrap(show_again)(**options))
    response.status_code = PROBLEM_KINDS[problem].status
    return response


def render(template: str, **values: Any) -> str:
    """Render a page of the console, with the layout that all share."""
    if find_console_state() is not None and current_request().transaction is not None:
        club_zone()
    return render_template(f"console/{template}", **_layout(), **values)


def as_sentence(error: Refusal) -> str:
    """Return a refusal in sentences, with the players of the round that the page is about."""
    refusal = refuse(error)
    if refusal.mistakes:
        state = find_console_state()
        return " ".join(sentences_of(refusal, None if state is None else state.seat_names))
    detail = refusal.detail.replace("`", "")
    return f"{detail[:1].upper()}{detail[1:]}{'' if detail.endswith('.') else '.'}"


def _take_refusal(action: str | None) -> str | None:
    """Return why the form of an address, or None for any, was refused. It is shown once."""
    if action is not None and urlsplit(action).path != request.path:
        return None
    state = find_console_state()
    if state is None:
        return None
    refusal, state.refusal = state.refusal, None
    return refusal


def _layout() -> dict[str, Any]:
    """Return what the layout needs; without a session, only the files."""
    files = {"style": find_built("console", ".css"), "script": find_built("console", ".js")}
    state = find_console_state()
    if state is None:
        return {**files, "menu": None, "session": None, "refusal_of": _take_refusal}
    zone = state.zone or ZoneInfo("UTC")
    return {
        **files,
        "menu": read_menu(),
        "session": current_session(),
        "club": state.club,
        "findings": state.findings,
        "csrf": csrf_token(),
        "refusal_of": _take_refusal,
        "form": read_form(),
        "allows": allows,
        "describe_mistake": describe_mistake,
        "day": lambda at: format_day(at, zone),
        "moment": lambda at: format_time(at, zone),
        "short_moment": lambda at: format_short_time(at, zone),
        "duration": format_duration,
        "amount_text": format_amount,
        "money": format_money,
        "money_won": format_money_won,
        "figure": format_figure,
        "unit_text": format_unit,
        "signed": format_signed,
        "gain_or_loss": gain_or_loss,
        "show_card": show_card,
        "plot": show_plot,
        "address_with": address_with,
        "next_page": next_page,
        "previous_page": previous_page,
        "filter_of": filter_of,
        "player_address": player_address,
    }


def _render_problem(title: str, detail: str, status: int) -> tuple[str, int]:
    return render_template("console/problem.html", title=title, detail=detail, **_layout()), status
