"""Asks the scorekeeper: on a terminal with an editor that checks every key, from a pipe line by line."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import click

from client.errors import UnreadableError

YES: Final = frozenset({"y", "yes"})
NO: Final = frozenset({"n", "no"})

Check = Callable[[str], str | None]
"""Says what is wrong with an answer, or None."""


@dataclass(frozen=True, slots=True)
class Question:
    """
    What is asked.

    `hint` says what is wrong or still possible while something is typed; `complete` offers what may come next.
    """

    text: str
    check: Check
    default: str = ""
    hint: Callable[[str], str] = lambda _: ""
    complete: Callable[[str, bool], Sequence[str]] = lambda _text, _asked_for: ()


class BackError(Exception):
    """The scorekeeper wants to correct what came before; `text` is what he had typed here."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class StoppedError(KeyboardInterrupt):
    """The scorekeeper stopped; `text` is what he had typed."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class Asker(Protocol):
    """Somebody who can be asked."""

    can_correct: bool
    """Whether a wrong answer can be given again."""

    def ask(self, question: Question) -> str:
        """
        Ask until the answer is right.

        Raises:
            BackError: something before this is to be asked again.
            StoppedError: no more is to be asked.
            UnreadableError: the answer is wrong, or missing, and nobody is there to correct it.
        """


class PipeAsker:
    """Reads an answer from each line; a program that writes them cannot correct one: the first wrong line ends it."""

    can_correct = False

    def ask(self, question: Question) -> str:
        """Read the next line."""
        click.echo(question.text.rstrip(), err=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise UnreadableError(f"the input ended where {question.text.rstrip(' :?')!r} was asked")
        answer = line.strip()
        wrong = question.check(answer)
        if wrong is not None:
            raise UnreadableError(f"{question.text.rstrip(' :?')}: {wrong}")
        return answer


def make_asker() -> Asker:
    """Ask whoever is there: a person at a terminal, or a pipe."""
    if sys.stdin is None or not sys.stdin.isatty():
        return PipeAsker()
    from client.entry.terminal import TerminalAsker  # the editor takes a moment to load, and pipes need none

    return TerminalAsker()


def confirm(asker: Asker, text: str) -> bool:
    """Ask a question that yes or no answers, and that nothing comes before."""
    given = ""
    while True:
        question = Question(
            f"{text} [yes/no] ", lambda reply: None if reply in YES | NO else "yes or no is right", given
        )
        try:
            return asker.ask(question) in YES
        except BackError as error:
            given = error.text
