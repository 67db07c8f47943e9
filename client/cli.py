"""The command `ofc`."""

import os
import sys
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource

from client.api import DEFAULT_URL
from client.commands.common import INTERRUPTED, PIPE_CLOSED, REFUSED, UNREACHABLE, UNREADABLE, Group, NamedPath, Session
from client.errors import RefusedError, TransportError, UnreadableError
from client.render.plain import print_plainly_where_needed

_COMMANDS: Final = {
    "score": ("score:score", "Score a finished hand, or play a whole round, without a service."),
    "verify": ("verify:verify", "Check the evidence of a round, without a service or a network."),
    "post": ("post:post", "Post rounds to the service, and explain what they came to."),
    "table": ("tables:tables", "Set up tables, and settle up at the end of an evening."),
    "round": ("rounds:rounds", "Open rounds, and look at those that are recorded."),
    "hand": ("hands:hands", "Record hands at the table."),
    "dispute": ("disputes:disputes", "Hold something against a settlement, look into it, resolve it."),
    "undo": ("undo:undo", "Withdraw the last hand of the table's round."),
    "queue": ("queue:queue", "Look after what could not be sent."),
    "ruleset": ("rulesets:rulesets", "Look at rulesets: the presets, and the club's own."),
    "export": ("transfers:export", "Export rounds as documents, one a line, the oldest first."),
    "import": ("transfers:import_", "Import rounds: documents, one a line, plain or in gzip."),
    "recompute": ("recompute:recompute", "Play stored rounds again, and see what was stored otherwise."),
    "checkpoint": ("checkpoints:checkpoints", "Keep what the service has signed, away from the service."),
    "key": ("keys:keys", "See which keys the club has, and revoke them."),
    "events": ("events:events", "Print what happened in the club, one event a line, as JSON."),
}
_KEY_CODES: Final = frozenset({"key-missing", "key-unknown"})
_OUTBOX_ADVICE: Final = "  It stops its round. `ofc queue drop {}` gives it up; `ofc queue flush` tries it again."
_KEY_ADVICE: Final = "  Give a key with --key-file FILE; `ofc-server up` says where it has put the first one."
_HALVES: Final = range(0xD800, 0xE000)
_BYTES: Final = range(0xDC80, 0xDD00)
"""What Python makes of bytes that are not UTF-8 in an argument."""


class OneSentence(Group):
    """Says what went wrong without a traceback, and ends with a code that scripts can tell apart."""

    def invoke(self, context: click.Context) -> object:
        """Run the command."""
        print_plainly_where_needed()
        try:
            result = super().invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()
        except RefusedError as error:
            from client.render.console import make_console
            from client.render.problem import show_problem

            console = make_console(error=True)
            show_problem(console, error.problem, error.about)
            if error.code in _KEY_CODES:
                console.print(_KEY_ADVICE)
            if error.waits_as is not None:
                console.print(_OUTBOX_ADVICE.format(error.waits_as))
            sys.exit(REFUSED)
        except UnreadableError as error:
            _say(error)
            sys.exit(UNREADABLE)
        except TransportError as error:
            _say(error)
            sys.exit(UNREACHABLE)
        except UnicodeEncodeError as error:
            _say_no_text(error)
            sys.exit(UNREADABLE)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            # Whoever read has gone; nobody is there to be told more.
            _let_go_of_stdout()
            sys.exit(PIPE_CLOSED)
        except OSError as error:
            _let_go_of_stdout()
            _say(f"the output cannot be written: {(error.strerror or str(error)).lower()}")
            sys.exit(UNREADABLE)
        return result


def _say(what: object) -> None:
    click.echo(f"Error: {what}", err=True)


def _say_no_text(error: UnicodeEncodeError) -> None:
    """Say what was given is no text: Python takes a byte that is not UTF-8 for half of a character until it is sent."""
    half = ord(error.object[error.start])
    if half not in _HALVES:
        raise error
    found = f"the byte {half & 0xFF:#x}" if half in _BYTES else f"half of a character, U+{half:X},"
    _say(f"{found} in what was given is no text; text in UTF-8 is right")


def _let_go_of_stdout() -> None:
    """Send what is still to be written nowhere, or Python would fail with it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=OneSentence,
    elsewhere=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    examples=[
        "ofc score examples/score.json",
        "ofc --key-file DIR/api-key post examples/pineapple.json",
        "OFC_URL=http://127.0.0.1:8000 ofc ruleset diff pineapple progressive",
    ],
)
@click.version_option(package_name="tablestakes", prog_name="ofc")
@click.option("--url", envvar="OFC_URL", default=DEFAULT_URL, show_default=True, help="The service.  [OFC_URL]")
@click.option("--key", envvar="OFC_API_KEY", help="A key of your club.  [OFC_API_KEY]")
@click.option("--key-file", envvar="OFC_API_KEY_FILE", type=NamedPath(), help="A file with it.  [OFC_API_KEY_FILE]")
@click.option("--data", envvar="OFC_DATA", type=NamedPath(), help="A directory for what waits.  [OFC_DATA]")
@click.pass_context
def main(context: click.Context, url: str, key: str | None, key_file: Path | None, data: Path | None) -> None:
    """
    Scores and settles finished hands of Open Face Chinese poker.

    `ofc score` and `ofc verify` work by themselves; the other commands ask a service.

    Exit codes: 0 done, 1 refused, 2 not readable or not understood, 3 no answer,
    130 interrupted.
    """
    if context.get_parameter_source("key_file") is ParameterSource.COMMANDLINE:
        # What is asked for here and now counts for more than the environment.
        key = key if context.get_parameter_source("key") is ParameterSource.COMMANDLINE else None
    context.obj = Session(url, key, key_file, data)
