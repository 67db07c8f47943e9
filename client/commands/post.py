from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from client.api import Client
from client.commands.common import Session, json_option, make_console, pass_session, print_json
from client.posting import post_round
from client.reading import read_document
from client.render.cards import Names
from client.render.hand import explain_hand, what_comes_next
from client.render.settlement import show_settlement, show_standings


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--whole", is_flag=True, help="Post each round in one request: all of it is recorded, or nothing.")
@json_option
@pass_session
def post(session: Session, files: tuple[str, ...], whole: bool, as_json: bool) -> None:
    r"""
    Post round documents to the service, hand by hand, and explain what each hand came to.

    The table is made by its name where there is none. What is recorded already is not recorded again, so a post that
    was interrupted can be repeated.

    \b
    Examples:
      ofc post examples/pineapple.json
      ofc post --whole examples/*.json
    """
    console = make_console()
    with session.client() as client:
        for file in files:
            document = read_document(file)
            if as_json:
                print_json(_post(client, document, whole))
            elif whole:
                _post_whole(client, document, console)
            else:
                _post_by_hand(client, document, console)


def _post(client: Client, document: dict[str, Any], whole: bool) -> dict[str, Any]:
    if whole:
        return client.play_document(document)
    round_ = post_round(client, document, lambda *_: None)
    return {"round": round_, "settlement": client.get_settlement(round_["id"])}


def _post_whole(client: Client, document: dict[str, Any], console: Console) -> None:
    played = client.play_document(document)
    again = ", recorded before" if client.was_replay else ""
    ruleset = client.get_ruleset(played["round"]["ruleset"])
    console.print(Text(f"Round {played['round']['id']}{again}", style="bold"))
    show_settlement(console, played["settlement"], ruleset, Names(played["round"]["seats"]))


def _post_by_hand(client: Client, document: dict[str, Any], console: Console) -> None:
    names = Names(document["seats"])
    ruleset = client.get_ruleset(document["ruleset"])

    def tell(hand: Mapping[str, Any], answer: Mapping[str, Any], was_recorded: bool) -> None:
        explain_hand(console, hand, answer, ruleset, names)
        if was_recorded:
            console.print(Text(f"Hand {answer['number']} was recorded before.", style="dim"))

    round_ = post_round(client, document, tell)
    console.print(what_comes_next(round_, names))
    show_standings(console, client.get_settlement(round_["id"]), names)
