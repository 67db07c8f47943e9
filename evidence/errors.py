from typing import NoReturn

from scoring.errors import Mistake


class EvidenceError(Exception):
    """Evidence that cannot be read, or a proof that fails; `mistakes` lists every mistake."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__("; ".join(mistake.detail for mistake in mistakes))


def refuse(code: str, detail: str) -> NoReturn:
    """
    Raise an error with a single mistake.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake(code, (), detail),))
