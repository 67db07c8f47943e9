from flask import g, request
from werkzeug.exceptions import ClientDisconnected


def receive_body() -> bytes:
    """
    Give the exact bytes of the request's body, once all of it is there.

    Raises:
        ClientDisconnected: it ended before its announced length; half a document may read like a whole one.
    """
    body: bytes | None = g.get("received")
    if body is None:
        body = request.get_data()
        if request.content_length is not None and len(body) < request.content_length:
            raise ClientDisconnected
        g.received = body
    return body
