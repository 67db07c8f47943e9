"""Questions to a scorekeeper, and the ways to reply: with text, by going back, or by stopping."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

YES: Final = frozenset({"y", "yes"})
NO: Final = frozenset({"n", "no"})

Check = Callable[[str], str | None]
"""Returns what is wrong with a reply, or None."""


@dataclass(frozen=True, slots=True)
class Question:
    """
    A question, and how replies to it are completed and validated.

    `hint` returns what is wrong or still possible while something is typed, in lines of so many characters. `complete`
    offers what may come next.
    """

    text: str
    check: Check
    default: str = ""
    hint: Callable[[str, int], str] = lambda _text, _width: ""
    complete: Callable[[str, bool], Sequence[str]] = lambda _text, _asked_for: ()


class BackError(Exception):
    """The scorekeeper wants to correct an earlier reply; `text` is what they had typed here."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class Asker(Protocol):
    """A source of replies: a terminal, or a pipe."""

    can_correct: bool
    """Whether an invalid reply can be corrected."""

    def ask(self, question: Question) -> str:
        """
        Ask until the reply is valid.

        Raises:
            BackError: the scorekeeper goes back to the previous question.
            KeyboardInterrupt: the scorekeeper stops.
            UnreadableError: the reply is invalid or missing, and there is no terminal to correct it.
        """
