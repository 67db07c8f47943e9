"""The address of this machine in the local network, for phones."""

import socket
from io import StringIO
from typing import Final

import segno

from service.server.address import UpError

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
    drawn = StringIO()
    segno.make(url, error="l", micro=False).terminal(drawn, border=_MARGIN, compact=True)
    return drawn.getvalue().rstrip("\n")
