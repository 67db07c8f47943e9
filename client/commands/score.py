from pathlib import Path

import click
from rich.console import Console

from client.commands.common import (
    Command,
    NamedPath,
    json_option,
    overwrite_option,
    print_json,
    refuse_output,
    speaking_of,
)
from client.offline.rulesets import find_ruleset, read_ruleset
from client.offline.score import Document, is_round, play_round, score_hand
from client.reading import read_document, read_json
from client.render.cards import Names
from client.render.console import make_console
from client.render.hand import explain_hand
from client.render.picture import make_picture, write_picture
from client.render.played import explain_departure, explain_end
from client.render.rounds import show_heading
from client.writing import write_whole


@click.command(
    cls=Command,
    examples=[
        "ofc score examples/score.json",
        "ofc score examples/pineapple.json --json",
        "ofc score examples/score.json --svg explanation.svg",
        "ofc score examples/score.json --ruleset mine.json",
        "ofc score - < examples/turbo.json",
    ],
)
@click.argument("file")
@click.option("--ruleset", "own", metavar="FILE", help="Play by rules of your own, whatever FILE says.")
@click.option("--svg", "picture", type=NamedPath(), metavar="FILE", help="Draw the explanation, too.")
@overwrite_option
@json_option
def score(file: str, own: str | None, picture: Path | None, overwrites: bool, as_json: bool) -> None:
    """
    Score a finished hand, or play a whole round, without a service.

    FILE is what `POST /v1/score` takes, or a round document; - reads standard input. Cards may be written As, 10s or
    A♠, a row as one text like "QsQd4c", top and bottom as front and back.
    """
    refuse_output(picture, overwrites=overwrites)
    document = read_document(file)
    rules = None
    if own:
        with speaking_of(own):
            rules = read_ruleset(read_json(own))
    with speaking_of(file):
        result = play_round(document, rules) if is_round(document) else score_hand(document, rules)
    ruleset = find_ruleset(document, rules)
    if picture:
        drawn = make_picture()
        explain(drawn, document, result, ruleset)
        write_whole(picture, write_picture(drawn, f"ofc score {Path(file).name}"), overwrites=overwrites)
    if as_json:
        print_json(result)
    else:
        explain(make_console(), document, result, ruleset)


def explain(console: Console, document: Document, result: Document, ruleset: Document) -> None:
    """Show what a hand or a whole round came to."""
    if not is_round(document):
        explain_hand(console, document, result, ruleset, Names(result["players"]))
        return
    names = Names(document["seats"])
    show_heading(console, f"Table {document['table']}", result["round"])
    for hand, answer in zip(document["hands"], result["hands"], strict=True):
        explain_hand(console, hand, answer, ruleset, names)
        for departure in document.get("departures", []):
            if departure["after_hand"] == hand["number"]:
                explain_departure(console, departure, names)
    shown = sum(len(answer["transfers"]) for answer in result["hands"])
    explain_end(console, result, ruleset, names, shown_before=shown)
