"""The address that `ofc-server up` listens on, and that of this machine in the local network, for phones."""

import socket
from dataclasses import dataclass
from io import StringIO
from typing import Final


class UpError(Exception):
    """
    The service cannot start or continue; the message is one sentence with the reason and a remedy.

    >>> str(UpError("The web server ended unexpectedly with exit code 1; its output is above."))
    'The web server ended unexpectedly with exit code 1; its output is above.'
    """

    code = "up"


_ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True)
class Address:
    """
    The address of the service for clients on this machine.

    >>> Address("0.0.0.0", 8000).url, Address("::1", 8000).url
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """

    host: str
    port: int
    scheme: str = "http"

    @property
    def reachable_host(self) -> str:
        """The host for clients, also if the service listens on all addresses."""
        return _ALL_ADDRESSES.get(self.host, self.host)

    @property
    def url(self) -> str:
        """The URL for a browser."""
        host = self.reachable_host
        return f"{self.scheme}://[{host}]:{self.port}" if ":" in host else f"{self.scheme}://{host}:{self.port}"


def listen(host: str, port: int) -> socket.socket:
    """
    Open the listening socket.

    Raises:
        UpError: the port is in use or not allowed, or the host is not an address of this machine.

    >>> with listen("127.0.0.1", 0) as taken:
    ...     address_of(taken).port > 0
    True
    """
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise UpError(
            f"{host!r} is not an address; expected --host 127.0.0.1 for this machine, or 0.0.0.0 for the network."
        ) from None
    family, kind, _, _, address = answers[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise UpError(
            f"Port {port} of {host} cannot be used: {(error.strerror or str(error)).lower()}; "
            "choose another with --port (0 selects a free one)."
        ) from None
    return listener


def address_of(listener: socket.socket, scheme: str = "http") -> Address:
    """Return the address of a listening socket, with the port that was selected."""
    host, port = listener.getsockname()[:2]
    return Address(host, port, scheme)


EVERYWHERE: Final = "0.0.0.0"
"""Listens on all interfaces."""
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address of the documentation (RFC 5737). Nothing is sent to it."""
_MARGIN: Final = 2


def find_lan_host() -> str:
    """
    Return the address that this machine has in its local network.

    Raises:
        UpError: the machine is in no network.
    """
    try:
        # A UDP socket sends nothing when it is connected; the system chooses the interface.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            host: str = probe.getsockname()[0]
    except OSError as error:
        raise UpError(
            f"This machine has no address in a local network ({(error.strerror or str(error)).lower()}); connect it to"
            " one, or start without --lan."
        ) from None
    return host


def draw_code(url: str) -> str:
    """
    Draw an address as a QR code with block characters, light on a dark background.

    >>> len(draw_code("http://192.168.1.20:8000").splitlines())
    15
    """
    import segno

    drawn = StringIO()
    segno.make(url, error="l", micro=False).terminal(drawn, border=_MARGIN, compact=True)
    return drawn.getvalue().rstrip("\n")
