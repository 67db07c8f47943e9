"""The line editor: it completes and checks with every key."""

import asyncio
import signal
import sys
from collections.abc import Iterable
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import completion_is_selected
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.validation import ValidationError, Validator

from client.entry.asking import BackError, Question, StoppedError


class TerminalAsker:
    """Asks a person: offers what can come next, says at once what is wrong, and takes no answer that is."""

    can_correct = True

    def __init__(self, given: Input | None = None, shown: Output | None = None) -> None:
        self._given = given
        self._shown = shown or create_output(_find_screen())

    def ask(self, question: Question) -> str:
        """Ask until the answer is right; the up arrow goes back, Ctrl-C stops, as a terminal does that is closed."""
        session: PromptSession[str] = PromptSession(input=self._given, output=self._shown)
        try:
            answer = session.prompt(
                question.text,
                default=question.default,
                completer=_NextCards(question),
                complete_while_typing=True,
                validator=_Check(question),
                validate_while_typing=False,
                bottom_toolbar=lambda: question.hint(get_app().current_buffer.text) or None,
                key_bindings=_keys(),
                pre_run=lambda: _stop_when_told(session.app),
            )
        except (KeyboardInterrupt, EOFError, OSError):  # the last where the terminal has gone already
            raise StoppedError(session.default_buffer.text) from None
        return answer.strip()


class _NextCards(Completer):
    def __init__(self, question: Question) -> None:
        self._question = question

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Offer what can come next; a card is offered by its suit where its rank stands there."""
        for text in self._question.complete(document.text_before_cursor, complete_event.completion_requested):
            yield Completion(text)


class _Check(Validator):
    def __init__(self, question: Question) -> None:
        self._question = question

    def validate(self, document: Document) -> None:
        """Take no answer that is wrong."""
        wrong = self._question.check(document.text.strip())
        if wrong is not None:
            raise ValidationError(len(document.text), wrong)


def _stop_when_told(app: Application[str]) -> None:
    """Take a terminal that is closed, or a request to end, for Ctrl-C."""

    def stop() -> None:
        if app.future is not None and not app.future.done():
            app.exit(exception=KeyboardInterrupt)

    for told in (signal.SIGHUP, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(told, stop)


def _find_screen() -> TextIO | None:
    """Ask where it is read, and not in a file into which the answer goes."""
    return sys.stdout if sys.stdout is not None and sys.stdout.isatty() else sys.stderr


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("up", filter=~completion_is_selected)
    def _(event: KeyPressEvent) -> None:
        event.app.exit(exception=BackError(event.app.current_buffer.text))

    return keys
