"""Shell completion: the command that prints the script of a shell, and what the script runs."""

import os
import shlex
import sys
from collections.abc import Callable
from typing import Any, Final

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from client.commands.base import Command

VARIABLE: Final = "_OFC_COMPLETE"
"""The script of a shell sets this variable, and runs `ofc` for the completions of a line."""
_SHELLS: Final = ("bash", "zsh", "fish")


class QuotedBash(BashComplete):
    """Completion of bash, with names quoted where they need it. The other shells quote names themselves."""

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Format a completion for the script of bash."""
        words, word = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
        is_open = word < len(words) and words[word][:1] in ("'", '"')
        value = item.value if is_open or item.type != "plain" else shlex.quote(item.value)
        return f"{item.type},{value}"


def complete_line(program: Callable[[], None]) -> None:
    """Print the completions of a line for the script of a shell, and nothing else, whatever fails."""
    add_completion_class(QuotedBash)
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it is open until the process ends
    try:
        program()
    except Exception:
        sys.exit(1)


@click.command(
    cls=Command,
    examples=["ofc completion bash", "ofc completion zsh", "ofc completion fish > ofc.fish"],
)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """
    Print the completion script of a shell.

    It completes commands, options, and names of tables, rounds, players and rulesets. For bash, add the line
    eval "$(ofc completion bash)" to ~/.bashrc; for zsh, eval "$(ofc completion zsh)" to ~/.zshrc; for fish, write
    the script to ~/.config/fish/completions/ofc.fish.
    """
    script = get_completion_class(shell)
    assert script is not None, "the argument is one of the shells of click"
    click.echo(script(context.find_root().command, {}, "ofc", VARIABLE).source())
