"""Commands that show rulesets."""

import click

from client.commands.administration import add_verbs
from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.commands.names import complete_rulesets
from client.render import rulesets as render
from client.render.console import make_console


@click.group(name="ruleset", cls=Group, examples=["ofc ruleset list", "ofc ruleset diff pineapple progressive"])
def rulesets() -> None:
    """Show rulesets: the presets, and the custom ones of the club."""


add_verbs(rulesets)


@rulesets.command(name="diff", cls=Command, examples=["ofc ruleset diff pineapple progressive"])
@click.argument("first", metavar="A", shell_complete=complete_rulesets)
@click.argument("second", metavar="B", shell_complete=complete_rulesets)
@json_option
@pass_session
def diff(session: Session, first: str, second: str, as_json: bool) -> None:
    """Show the differences between two rulesets."""
    with session.client() as client:
        one, other = client.get_ruleset(first), client.get_ruleset(second)
    if as_json:
        print_json({path: [a, b] for path, a, b in render.differences(one, other)})
    else:
        render.show_difference(make_console(), one, other)
