from typing import NoReturn

from schemas.base import WireError
from scoring.errors import Mistake


class EvidenceError(WireError):
    """What was received cannot be read as evidence, or does not prove what it should."""


def refuse(code: str, detail: str) -> NoReturn:
    """
    Say what was found and what would be right.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake(code, (), detail),))
