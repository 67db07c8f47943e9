from typing import NoReturn

from scoring.errors import Mistake


class EvidenceError(Exception):
    """What was received cannot be read as evidence, or does not prove what it should; every mistake is named."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__("; ".join(mistake.detail for mistake in mistakes))


def refuse(code: str, detail: str) -> NoReturn:
    """
    Say what was found and what would be right.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake(code, (), detail),))
