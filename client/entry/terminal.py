"""The line editor of a terminal. It completes and validates with every key."""

import asyncio
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
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

from client.entry.question import BackError, Question


class TerminalAsker:
    """Ask a person: complete what they type, show errors at once, and accept only valid replies."""

    can_correct = True

    def __init__(self, input_: Input | None = None, shown: Output | None = None) -> None:
        self._input = input_
        self._shown = shown or create_output(_find_screen())

    def ask(self, question: Question) -> str:
        """Ask until the reply is valid. The up arrow goes back. Ctrl-C, or closing the terminal, stops."""
        session: PromptSession[str] = PromptSession(input=self._input, output=self._shown)
        try:
            reply = session.prompt(
                question.text,
                default=question.default,
                completer=_NextCards(question),
                complete_while_typing=True,
                validator=_Check(question),
                validate_while_typing=False,
                bottom_toolbar=lambda: _hint(question),
                key_bindings=_keys(),
                pre_run=lambda: _stop_on_signals(session.app),
            )
        except (KeyboardInterrupt, EOFError, OSError):  # OSError if the terminal is closed already
            raise KeyboardInterrupt from None
        return reply.strip()


class _NextCards(Completer):
    def __init__(self, question: Question) -> None:
        self._question = question

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield what can come next. After a rank, a card is offered by its suit."""
        for text in self._question.complete(document.text_before_cursor, complete_event.completion_requested):
            yield Completion(text)


class _Check(Validator):
    def __init__(self, question: Question) -> None:
        self._question = question

    def validate(self, document: Document) -> None:
        """Reject an invalid reply."""
        wrong = self._question.check(document.text.strip())
        if wrong is not None:
            raise ValidationError(len(document.text), wrong)


def _hint(question: Question) -> str | None:
    app = get_app()
    return question.hint(app.current_buffer.text, app.output.get_size().columns) or None


def _stop_on_signals(app: Application[str]) -> None:
    """Handle a closed terminal and a termination signal like Ctrl-C."""

    def stop() -> None:
        if app.future is not None and not app.future.done():
            app.exit(exception=KeyboardInterrupt())

    for name in ("SIGHUP", "SIGTERM"):
        # Windows has no SIGHUP, and its event loops accept no handlers.
        with suppress(AttributeError, NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), stop)


def _find_screen() -> TextIO | None:
    """Return the stream that a person reads, and not the file that the result is written to."""
    return sys.stdout if sys.stdout is not None and sys.stdout.isatty() else sys.stderr


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("up", filter=~completion_is_selected)
    def _(event: KeyPressEvent) -> None:
        event.app.exit(exception=BackError(event.app.current_buffer.text))

    return keys
