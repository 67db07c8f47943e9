"""The command that scores a hand or plays a round document offline."""

from pathlib import Path

import click
from rich.console import Console

from client.commands.base import (
    Command,
    NamedPath,
    json_option,
    overwrite_option,
    print_json,
    refuse_output,
    with_source,
)
from client.commands.names import complete_files
from client.files import read_document, read_json, write_file
from client.offline.score import Document, find_ruleset, is_round, play_round, read_ruleset, score_hand
from client.render.console import make_console
from client.render.format import Names
from client.render.hands import explain_hand
from client.render.picture import make_picture, write_picture
from client.render.rounds import explain_departure, explain_end, show_heading


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
@click.argument("file", shell_complete=complete_files)
@click.option(
    "--ruleset",
    "own",
    metavar="FILE",
    help="Use a custom ruleset in place of that in the document.",
    shell_complete=complete_files,
)
@click.option(
    "--svg", "picture", type=NamedPath(), metavar="FILE", help="Write the explanation as an SVG picture, too."
)
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
        with with_source(own):
            rules = read_ruleset(read_json(own))
    with with_source(file):
        result = play_round(document, rules) if is_round(document) else score_hand(document, rules)
    ruleset = find_ruleset(document, rules)
    if picture:
        drawn = make_picture()
        explain(drawn, document, result, ruleset)
        write_file(picture, write_picture(drawn, f"ofc score {Path(file).name}"), overwrites=overwrites)
    if as_json:
        print_json(result)
    else:
        explain(make_console(), document, result, ruleset)


def explain(console: Console, document: Document, result: Document, ruleset: Document) -> None:
    """Print the result of a hand or of a whole round."""
    if not is_round(document):
        explain_hand(console, document, result, ruleset, Names(result["players"]))
        return
    names = Names(document["seats"])
    show_heading(console, f"Table {document['table']}", result["round"])
    for hand, scored in zip(document["hands"], result["hands"], strict=True):
        explain_hand(console, hand, scored, ruleset, names)
        for departure in document.get("departures", []):
            if departure["after_hand"] == hand["number"]:
                explain_departure(console, departure, names)
    shown = sum(len(scored["transfers"]) for scored in result["hands"])
    explain_end(console, result, ruleset, names, shown_before=shown)
