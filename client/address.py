"""Checks of the address of a service and of a key."""

from typing import Final

import httpx2

from client.errors import UnreadableError

_LAST_PORT: Final = 65535


def check_url(url: str) -> str:
    """
    Return the URL of a service without a slash at the end.

    Raises:
        UnreadableError: it is not the URL of a service.
    """
    try:
        read = httpx2.URL(url)
        is_address = read.scheme in ("http", "https") and bool(read.host) and (read.port or 0) <= _LAST_PORT
    except httpx2.InvalidURL:
        is_address = False
    if not is_address:
        raise UnreadableError(f"{url!r} is not the URL of a service; expected a URL such as http://127.0.0.1:8000")
    return url.rstrip("/")


def check_key(key: str) -> str:
    """
    Return a key.

    Raises:
        UnreadableError: no key looks like this.
    """
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UnreadableError("the key has a space, a line break or an invalid character; expected one key")
    return key
