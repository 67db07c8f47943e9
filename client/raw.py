"""Requests that a program or a person has written itself."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from client.responses import Content, Document, Response, is_object

if TYPE_CHECKING:
    from client.connection import Connection


class RawOperations:
    """The part of `Client` that sends any request."""

    _connection: "Connection"

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Content:
        """Send any request, for example `GET` `/v1/club`, and return the response as it was received."""
        return self._connection.request(method, path, query or {}, body, headers or {})

    def send(self, path: str, body: bytes, key: str, is_valid: Callable[[Document], bool] = is_object) -> Response:
        """
        Send a stored request with its idempotency key. It takes effect once, whenever it is sent.

        A response that `is_valid` rejects comes from another server, and counts as a failed request.
        """
        return self._connection.post_bytes(path, body, key, is_valid)
