from pathlib import Path

import click
from rich.console import Console

from client.commands.common import json_option, make_console, print_json
from client.offline.score import Document, find_ruleset, is_round, play_round, score_document
from client.reading import read_document
from client.render.cards import Names
from client.render.hand import explain_hand, what_comes_next
from client.render.settlement import show_standings

PICTURE_WIDTH = 118


@click.command()
@click.argument("file")
@click.option("--ruleset", "own", type=click.Path(path_type=Path), help="Rules of your own, a JSON file.")
@click.option(
    "--svg", "picture", type=click.Path(dir_okay=False, path_type=Path), help="Draw the explanation into FILE."
)
@json_option
def score(file: str, own: Path | None, picture: Path | None, as_json: bool) -> None:
    r"""
    Score a finished hand, or play a whole round, without a service.

    FILE is what `POST /v1/score` takes, or a round document; - reads standard input. Cards may be written As, 10s or
    A♠, rows front and back.

    \b
    Examples:
      ofc score examples/score.json
      ofc score examples/pineapple.json --json
      echo '{"ruleset": "turbo", …}' | ofc score -
    """
    document = read_document(file)
    rules = read_document(str(own)) if own else None
    result = play_round(document, rules) if is_round(document) else score_document(document, rules)
    if as_json:
        print_json(result)
        return
    console = Console(record=True, width=PICTURE_WIDTH, force_terminal=True) if picture else make_console()
    explain(console, document, result, find_ruleset(document, rules))
    if picture:
        console.save_svg(str(picture), title=f"ofc score {Path(file).name}")


def explain(console: Console, document: Document, result: Document, ruleset: Document) -> None:
    """Show what a hand or a whole round came to."""
    if not is_round(document):
        explain_hand(console, document, result, ruleset, Names(result["players"]))
        return
    names = Names(document["seats"])
    for hand, answer in zip(document["hands"], result["hands"], strict=True):
        explain_hand(console, hand, answer, ruleset, names)
        console.print(what_comes_next(answer["round"], names))
    show_standings(console, result["settlement"], names)
