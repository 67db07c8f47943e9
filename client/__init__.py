"""
A client of the service: a Python library that speaks its HTTP API, and the command `ofc`.

    from client import Client

docs/python-client.md describes the library.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from client.api import Client
    from client.errors import ApiError, ClientError, NotModified, RefusedError, TransportError, UnreadableError
    from client.responses import Response

__all__ = [
    "ApiError",
    "Client",
    "ClientError",
    "NotModified",
    "RefusedError",
    "Response",
    "TransportError",
    "UnreadableError",
]


def __getattr__(name: str) -> Any:
    """Import what the library exports when it is used first: `ofc` must start without it."""
    from importlib import import_module

    if name in __all__:
        for module in ("client.api", "client.errors", "client.responses"):
            value = getattr(import_module(module), name, None)
            if value is not None:
                return value
    raise AttributeError(f"module 'client' has no attribute {name!r}")
