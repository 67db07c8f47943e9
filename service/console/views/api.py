"""The operation that creates a link to the console."""

from http import HTTPStatus
from typing import Final

from flask import Response, url_for

from schemas.links import ConsoleLinkSchema, dump_console_link
from service.clubs.scopes import KeyScope
from service.console.actions import issue_console_link
from service.http.authentication import current_key, current_transaction
from service.http.public_address import find_public_url, find_warnings
from service.http.resource import Resource
from service.http.responses import NO_STORE, json_response

_PAGES: Final = tuple(scope for scope in KeyScope if scope is not KeyScope.CORRECT_FINAL)
"""Any key can sign in; its scopes decide what it can do. `correct-final` alone allows nothing."""

console_links = Resource("console links", __name__, description="Links that sign in to the console in a browser.")


@console_links.route("/v1/console-links", methods=["POST"])
@console_links.operation("issue_console_link", *_PAGES)
@console_links.response(201, ConsoleLinkSchema)
def post_console_link() -> Response:
    """
    Create a link that signs in to the console once, with the key of this request.

    The link is valid for ten minutes. The session that it begins lasts for twelve hours at most, and ends with the key.
    Only this response has the address, so the request takes no idempotency key: a retry creates another link.
    """
    url = find_public_url()
    link = issue_console_link(current_transaction(), current_key().id)
    address = url + url_for("console.show_link", code=link.secret)
    document = dump_console_link(link.id, address, link.expires_at, list(find_warnings(url)))
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)
