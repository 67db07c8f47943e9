"""The command `ofc`."""

import os
import sys
from pathlib import Path

import click

from client.api import DEFAULT_URL
from client.commands.common import REFUSED, UNREACHABLE, UNREADABLE, Session, make_console
from client.commands.post import post
from client.commands.rounds import rounds
from client.commands.rulesets import rulesets
from client.commands.score import score
from client.errors import ApiError, TransportError, UnreadableError
from client.render.problem import show_problem


class OneSentence(click.Group):
    """Says what went wrong without a traceback, and ends with a code that scripts can tell apart."""

    def invoke(self, context: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(context)
        except ApiError as error:
            show_problem(make_console(error=True), error.problem)
            sys.exit(REFUSED)
        except UnreadableError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(UNREADABLE)
        except TransportError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(UNREACHABLE)
        except BrokenPipeError:
            # Whoever read has gone; nobody is there to be told more.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


@click.group(
    cls=OneSentence,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start here:  ofc score examples/score.json",
)
@click.version_option(package_name="tablestakes", prog_name="ofc")
@click.option("--url", envvar="OFC_URL", default=DEFAULT_URL, show_default=True, help="The service.  [OFC_URL]")
@click.option("--key", envvar="OFC_API_KEY", help="A key of your club.  [OFC_API_KEY]")
@click.option(
    "--key-file", envvar="OFC_API_KEY_FILE", type=click.Path(path_type=Path), help="A file with it.  [OFC_API_KEY_FILE]"
)
@click.pass_context
def main(context: click.Context, url: str, key: str | None, key_file: Path | None) -> None:
    r"""
    Scores and settles finished hands of Open Face Chinese poker.

    `ofc score` works by itself; the other commands ask a service.

    Exit codes: 0 done, 1 refused, 2 not readable or not understood, 3 no answer.

    \b
    Examples:
      ofc score examples/score.json
      ofc --key-file ~/ofc-data/api-key post examples/pineapple.json
      OFC_URL=http://127.0.0.1:8000 ofc ruleset diff pineapple progressive
    """
    context.obj = Session(url, key, key_file)


for command in (score, post, rounds, rulesets):
    main.add_command(command)


if __name__ == "__main__":
    main()
