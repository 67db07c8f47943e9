from flask import g, request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge


def receive_body() -> bytes:
    """
    Give the exact bytes of the request's body, once all of it is there.

    Raises:
        ClientDisconnected: it ended before its announced length; half a document may read like a whole one.
        RequestEntityTooLarge: it is longer than any body may be, whether it said so or not.
    """
    body: bytes | None = g.get("received")
    if body is None:
        announced, most = request.content_length, request.max_content_length
        if announced is None and most is not None:
            # What comes in chunks is read so far and no farther, and Werkzeug does not say that there was more.
            request.max_content_length = most + 1
        body = request.get_data()
        if announced is not None and len(body) < announced:
            raise ClientDisconnected
        if most is not None and len(body) > most:
            raise RequestEntityTooLarge
        g.received = body
    return body
