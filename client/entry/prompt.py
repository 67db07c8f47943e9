"""Prompts: on a terminal with a line editor, from a pipe line by line."""

import sys
from dataclasses import replace

import click

from client.entry.question import NO, YES, Asker, BackError, Question
from client.errors import UnreadableError


class PipeAsker:
    """Read each reply from a line of standard input. The first invalid line ends the command."""

    can_correct = False

    def ask(self, question: Question) -> str:
        """Read the next line."""
        click.echo(question.text.rstrip(), err=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise UnreadableError(
                f"the input ended at the question {question.text.rstrip(' :?')!r}; expected one more line"
            )
        reply = line.strip()
        wrong = question.check(reply)
        if wrong is not None:
            raise UnreadableError(f"{question.text.rstrip(' :?')}: {wrong}")
        return reply


def make_asker() -> Asker:
    """Return the prompt for a person at a terminal, or for a pipe."""
    if sys.stdin is None or not sys.stdin.isatty():
        return PipeAsker()
    from client.entry.terminal import TerminalAsker  # slow to import, and not needed for pipes

    return TerminalAsker()


def confirm(asker: Asker, text: str) -> bool:
    """Ask a yes-or-no question. Going back asks it again."""
    question = Question(f"{text} [yes/no] ", lambda reply: None if reply in YES | NO else "expected yes or no")
    return ask_alone(asker, question) in YES


def ask_reason(asker: Asker) -> str:
    """Ask for the reason of a change. Going back asks again."""
    return ask_alone(asker, Question("Reason: ", lambda reply: None if reply else "expected why, in one line"))


def ask_alone(asker: Asker, question: Question) -> str:
    """Ask a question without a previous one. Going back asks it again."""
    while True:
        try:
            return asker.ask(question)
        except BackError as error:
            question = replace(question, default=error.text)
