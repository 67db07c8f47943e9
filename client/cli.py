"""The command `ofc`: the groups of commands, the options that all of them share, and the exit codes."""

import os
import sys
from pathlib import Path
from typing import Final

import click

from client.api import DEFAULT_URL
from client.commands.base import (
    DEFAULT_TIMEOUT,
    INTERRUPTED,
    PIPE_CLOSED,
    REFUSED,
    UNREACHABLE,
    UNREADABLE,
    Group,
    NamedPath,
    Session,
)
from client.errors import RefusedError, TransportError, UnreadableError
from client.render.format import escape_unprintable, substitute_unprintable
from client.version import VERSION

_COMMANDS: Final = {
    "api": ("api:api", "Send a request to the API, and print the response."),
    "score": ("score:score", "Score a finished hand, or play a whole round, without a service."),
    "verify": (
        "verify:verify",
        "Verify the evidence of a round or a hand, without a service or a network.",
    ),
    "post": ("post:post", "Post rounds and hands to the service, and explain their results."),
    "table": ("tables:tables", "Create and change tables, and settle up at the end of an evening."),
    "round": ("rounds:rounds", "Open rounds, and show recorded ones."),
    "hand": ("hands:hands", "Record hands at the table."),
    "dispute": ("disputes:disputes", "Open, review and resolve disputes of settlements."),
    "proposal": ("corrections:proposals", "Confirm and withdraw changes of final settlements."),
    "undo": ("changes:undo", "Undo the last hand of the table's round."),
    "text": ("players:texts", "Erase the texts of people."),
    "ruleset": ("administration:rulesets", "Show rulesets: the presets, and the custom ones of the club."),
    "export": (
        "import_export:export",
        "Export rounds as documents, one a line, oldest first; or hands, results or transfers as Parquet.",
    ),
    "import": ("import_export:import_", "Import rounds: documents, one a line, plain or gzipped."),
    "convert": ("convert:convert", "Compare hands of another tool with our results, and convert them to rounds."),
    "formats": ("convert:formats", "List the formats of files that `ofc convert` and `ofc import --format` read."),
    "imports": ("administration:imports", "List the imports of the club, newest first."),
    "ledger": ("money:ledger", "List the journal of the club: who owes whom, and who has paid."),
    "balances": ("money:balances", "Show what everyone is owed or owes now, and who pays whom."),
    "player": (
        "players:players",
        "Set the names of players, join the IDs of one person, and erase texts about players.",
    ),
    "units": ("money:units", "List the units of amounts: those of the club, and the currencies that it uses."),
    "unit": ("money:unit", "Define units of amounts, for example chips."),
    "payment": (
        "money:payments",
        "Record payments between players, confirm those that they claim, and take them back.",
    ),
    "charge": ("money:charges", "Record what players owe the house, and take it back."),
    "statement": ("administration:statement", "Show what players won and lost over several tables, and who pays whom."),
    "statistics": ("administration:statistics", "Show statistics of a player, or of all players, most hands first."),
    "plot": ("plot:plot", "Draw a plot of what was played, as an SVG or CSV file."),
    "recompute": ("recompute:recompute", "Replay stored rounds, and find results that were stored differently."),
    "checkpoint": ("checkpoints:checkpoints", "Store signed checkpoints away from the service."),
    "witness": ("witness:witness", "Cosign checkpoints of clubs, so that nobody can be shown another history."),
    "key": ("keys:keys", "Create, list and revoke the API keys of the club."),
    "webhook": ("administration:webhooks", "Manage webhooks, to which the service sends messages about what happens."),
    "console": ("links:console", "Create a link that signs in to the console once, and print it with a QR code."),
    "link": ("links:links", "Share a table or a round by links, which need no key; list and revoke them."),
    "completion": ("completion:completion", "Print the completion script of a shell."),
    "events": ("import_export:events", "Print the events of the club, one a line, as JSON."),
}
_KEY_CODES: Final = frozenset({"key-missing", "key-unknown"})
_KEY_ADVICE: Final = "  Give a key with --key-file FILE; `ofc-server up` prints where the first key is stored."
_SURROGATES: Final = range(0xD800, 0xE000)
_BYTES: Final = range(0xDC80, 0xDD00)
"""Surrogates that Python decodes bytes of an argument to that are not UTF-8."""


class ErrorReporting(Group):
    """The group of all commands. It reports errors without a traceback, and ends with an exit code for each kind."""

    def invoke(self, context: click.Context) -> object:
        """Run the command, and report what it raises."""
        substitute_unprintable()
        try:
            result = super().invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()
        except RefusedError as error:
            from client.render.console import make_console
            from client.render.problems import show_conflict, show_problem

            console = make_console(error=True)
            show_problem(console, error.problem, error.source)
            if error.code in _KEY_CODES:
                console.print(_KEY_ADVICE)
            if error.advice is not None:
                console.print(f"  {error.advice}", soft_wrap=True)
            if error.hand is not None:
                show_conflict(console, error.hand, error.problem["errors"])
            sys.exit(REFUSED)
        except UnreadableError as error:
            _print_error(error)
            sys.exit(UNREADABLE)
        except TransportError as error:
            _print_error(error)
            if error.advice is not None:
                click.echo(f"  {error.advice}", err=True)
            sys.exit(UNREACHABLE)
        except UnicodeEncodeError as error:
            _print_encoding_error(error)
            sys.exit(UNREADABLE)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            # The reader of the pipe has ended, so nothing more can be printed.
            _discard_stdout()
            sys.exit(PIPE_CLOSED)
        except OSError as error:
            _discard_stdout()
            _print_error(f"the output cannot be written: {(error.strerror or str(error)).lower()}")
            sys.exit(UNREADABLE)
        return result


def _print_error(what: object) -> None:
    click.echo(f"Error: {escape_unprintable(str(what))}", err=True)


def _print_encoding_error(error: UnicodeEncodeError) -> None:
    """Print that an argument is not valid text. Python reads bytes that are not UTF-8 as surrogates."""
    half = ord(error.object[error.start])
    if half not in _SURROGATES:
        raise error
    part = f"the byte {half & 0xFF:#x}" if half in _BYTES else f"half of a character, U+{half:X},"
    _print_error(f"{part} in the arguments is not valid text; expected UTF-8")


def _discard_stdout() -> None:
    """Redirect stdout to the null device, so that Python does not fail again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=ErrorReporting,
    lazy_commands=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    examples=[
        "ofc score examples/score.json",
        "ofc --key-file DIR/api-key post examples/pineapple.json",
        "OFC_URL=http://127.0.0.1:8000 ofc ruleset diff pineapple progressive",
    ],
)
@click.version_option(VERSION, prog_name="ofc")
@click.option(
    "--url", envvar="OFC_URL", default=DEFAULT_URL, show_default=True, help="The address of the service.  [OFC_URL]"
)
@click.option("--key", envvar="OFC_API_KEY", help="An API key of your club.  [OFC_API_KEY]")
@click.option(
    "--key-file", envvar="OFC_API_KEY_FILE", type=NamedPath(), help="A file that contains the key.  [OFC_API_KEY_FILE]"
)
@click.option(
    "--timeout",
    envvar="OFC_TIMEOUT",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    default=DEFAULT_TIMEOUT,
    show_default=True,
    help="How long to wait for a connection, and for data that is read. Imports, exports and verification wait longer."
    "  [OFC_TIMEOUT]",
)
@click.pass_context
def main(context: click.Context, url: str, key: str | None, key_file: Path | None, timeout: float) -> None:
    """
    Scores and settles finished hands of Open Face Chinese poker.

    `ofc score` and `ofc verify` work without a service; the other commands need one.

    Exit codes: 0 success, 1 refused, 2 unreadable or invalid input, 3 service unreachable,
    130 interrupted.
    """
    context.obj = Session.select(context, url, key, key_file, timeout)
