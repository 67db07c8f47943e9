"""`ofc-server completion`: print the completion script of a shell."""

from typing import Final

import click
from click.shell_completion import get_completion_class

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """
    Print the script with which a shell completes commands and options.

    For bash, add the line eval "$(ofc-server completion bash)" to ~/.bashrc; for zsh,
    eval "$(ofc-server completion zsh)" to ~/.zshrc; for fish, write the script to
    ~/.config/fish/completions/ofc-server.fish.

    \b
    Examples:
      ofc-server completion bash
      ofc-server completion fish > ofc-server.fish
    """
    script = get_completion_class(shell)
    assert script is not None, "the argument is one of the shells of click"
    click.echo(script(context.find_root().command, {}, "ofc-server", "_OFC_SERVER_COMPLETE").source())
