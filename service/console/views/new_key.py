"""A new API key of the club: the form, and the page that shows the key once."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from flask import url_for

from schemas.base import WireError, load
from schemas.clubs import ApiKeyRequestSchema, KeyRequest
from schemas.fields import show_time
from scoring.errors import Mistake
from service.clubs.actions import create_own_key
from service.clubs.queries import keys
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import PRESET_DESCRIPTIONS, PRESET_SCOPES, KeyScope, has_scope
from service.console.actions import issue_console_link
from service.console.views.links import draw_code
from service.console.views.pages import as_sentence, console, console_form, console_page, render
from service.console.views.session import current_session, read_form
from service.errors import LinkAddressUnknown
from service.http.authentication import current_transaction
from service.http.public_address import find_public_url, find_warnings

LIFETIMES: Final = {
    "86400": "for 1 day",
    "604800": "for 7 days",
    "2592000": "for 30 days",
    "7776000": "for 90 days",
    "31536000": "for 365 days",
}
_REQUEST: Final = ApiKeyRequestSchema()


@dataclass(frozen=True, slots=True)
class ShownPreset:
    """
    A preset of the form.

    Attributes:
        unheld: the scopes that the key of the session lacks, so that it cannot give the preset.
    """

    name: str
    description: str
    scopes: tuple[str, ...]
    unheld: tuple[str, ...]


@console.get("/keys/new")
@console_page(KeyScope.ADMIN)
def show_new_key() -> str:
    """Render the form that creates a key."""
    creator = _find_creator()
    return render(
        "new_key.html",
        presets=list(_list_presets(creator)),
        lifetimes=list(_list_lifetimes(creator).items()),
        chosen=read_form(),
    )


@console.post("/keys/new")
@console_form(KeyScope.ADMIN, show_again=show_new_key)
def create_key() -> str:
    """Create a key, and show it once with a link that signs in. Sending the form again creates another key."""
    request: KeyRequest = load(_REQUEST, _read_fields())
    new_key = create_own_key(current_transaction(), request, current_session().key.id)
    return render("created_key.html", key=new_key.key, secret=new_key.secret, **_issue_link(new_key.key))


def _find_creator() -> IssuedKey:
    return keys.get(current_transaction(), current_session().key.id)


def _list_presets(creator: IssuedKey) -> Iterator[ShownPreset]:
    """Yield the presets, with what the key of the session cannot give."""
    for preset, scopes in PRESET_SCOPES.items():
        unheld = tuple(scope.value for scope in scopes if not has_scope(creator.scopes, (scope,)))
        yield ShownPreset(preset.value, PRESET_DESCRIPTIONS[preset], tuple(scope.value for scope in scopes), unheld)


def _list_lifetimes(creator: IssuedKey) -> dict[str, str]:
    """Return how long a key can be valid. The first choice is as long as the key of the session."""
    now, latest = current_transaction().now, creator.ends_at
    whole = "until it is revoked" if latest is None else "as long as your key"
    fitting = {
        seconds: text
        for seconds, text in LIFETIMES.items()
        if latest is None or now + timedelta(seconds=int(seconds)) <= latest
    }
    return {"": whole} | fitting


def _read_fields() -> dict[str, Any]:
    """
    Return the fields of the form as a request of the API has them.

    Raises:
        WireError: the time is none of the choices.
    """
    form = {name: value.strip() for name, value in read_form().items()}
    asked: dict[str, Any] = {name: form[name] for name in ("name", "preset", "player") if form.get(name)}
    lifetime, latest = form.get("lifetime", ""), _find_creator().ends_at
    if lifetime and lifetime not in LIFETIMES:
        detail = f"is {lifetime[:20]!r}; expected one of {', '.join(LIFETIMES)} seconds, or nothing"
        raise WireError((Mistake("not-a-choice", ("lifetime",), detail),))
    if lifetime:
        asked["expires_at"] = show_time(current_transaction().now + timedelta(seconds=int(lifetime)))
    elif latest is not None:
        asked["expires_at"] = show_time(latest)
    return asked


def _issue_link(key: IssuedKey) -> dict[str, Any]:
    """Return a link that signs in with a new key for its page, or why the service does not know its address."""
    try:
        url = find_public_url()
    except LinkAddressUnknown as error:
        return {"link": None, "no_link": as_sentence(error)}
    link = issue_console_link(current_transaction(), key.id)
    address = url + url_for("console.show_link", code=link.secret)
    return {"link": link, "address": address, "code": draw_code(address), "warnings": list(find_warnings(url))}
