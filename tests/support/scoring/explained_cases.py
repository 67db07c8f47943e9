"""
Golden explanations of the cases in `tests/cases/`, one file each.

`python -m tests.support.scoring.explained_cases` writes them again; review every changed sentence.
"""

import re
from collections.abc import Iterator

from schemas.explanations.output import dump_explanation, render_explanation
from scoring.explanation.hands import explain_round, explain_single_hand
from scoring.explanation.reasons import ExplainedHand
from scoring.hand import Hand
from scoring.history import Closing, Departure, History
from scoring.single_hand import SingleHandPlayer
from tests.support.scoring.golden_cases import FOLDER, Case, load_cases
from tests.support.scoring.notation import hand_of, player_of, ruleset_of, seats_of

EXPLAINED = FOLDER / "explained"
TITLES = (
    "The worked example, one hand",
    "The worked example under progressive",
    "The worked example under method 2-4",
    "Method 1-6, three rows won are six points",
    "Rows of the same ranks tie, whatever their suits",
    "The last kicker decides where all else is equal",
    "Queens with an ace on top beat queens with a king in the middle",
    "A middle that beats the bottom is foul",
    "Foul boards pay each other nothing, however many there are",
    "A straight, a flush and A-2-3-4-5 do not qualify as lows",
    "7-5-4-3-2 is the best low",
    "In deuce-to-seven 7-5-4-3-2 enters too, with kings on top for one card more",
    "Queens on top do not renew Fantasyland, four of a kind at the bottom does",
    "A second repeat in a row is not",
    "A foul loses Fantasyland",
    "Under scope hand a player without points is busted at once and loses their Fantasyland",
    "Fantasyland owed when fewer than two are still playing is void",
    "A round may be closed before it is complete",
    "Under scope hand the opening stacks are those before each hand",
    "Under scope fantasyland the opening stacks are those before the sequence",
    "Under scope round each pair's points add up and are paid once",
    "Closing a round settles what scope round has added up",
    "Under scope round a departure that completes the round settles it",
    "Points are added before a hand that starts a sequence",
    "A round goes on for a hand accepted as played",
)


def golden_name(title: str) -> str:
    """
    Return the file of a case.

    >>> golden_name("The worked example, one hand")
    'the-worked-example-one-hand.txt'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower().replace("'", ""))) + ".txt"


def explanations() -> dict[str, str]:
    """Explain every case that is shown, by the name of its file."""
    cases = {case.title: case for case in load_cases()}
    return {golden_name(title): explain_case(cases[title]) for title in TITLES}


def explain_case(case: Case) -> str:
    return "\n".join([f"{case.title}\n", *(render_explanation(dump_explanation(hand)) for hand in _hands(case))])


def _hands(case: Case) -> Iterator[ExplainedHand]:
    content = case.content
    if "seats" in content:
        yield from explain_round(_history(case))
        return
    players = [
        SingleHandPlayer(
            player_of(seat, written),
            stays=written.get("stays", 0) if isinstance(written, dict) else 0,
            stack=content.get("stacks", {}).get(seat),
            opening_stack=content.get("opening_stacks", {}).get(seat),
        )
        for seat, written in case.players(content["hand"]).items()
    ]
    yield explain_single_hand(ruleset_of(content["ruleset"]), players, content.get("button"))


def _history(case: Case) -> History:
    """Everything of a round that was not refused."""
    hands: list[Hand] = []
    departures: list[Departure] = []
    irregular: set[int] = set()
    closed = None
    for step in case.content["play"]:
        if "refused" in step:
            continue
        if "hand" in step:
            players = case.players(step["hand"])
            hands.append(hand_of(len(hands) + 1, step["button"], players, step.get("top_ups")))
            irregular |= {len(hands)} if "irregular" in step else set()
        elif "leaves" in step:
            departures.append(Departure(step["leaves"], len(hands)))
        else:
            closed = Closing(len(hands), step["closes"])
    seats = tuple(seats_of(case.content["seats"]))
    ruleset = ruleset_of(case.content["ruleset"])
    return History(ruleset, seats, tuple(hands), tuple(departures), closed, frozenset(irregular))


def main() -> None:
    """Write every file anew; one of a case that is no longer shown goes."""
    EXPLAINED.mkdir(exist_ok=True)
    for path in EXPLAINED.glob("*.txt"):
        path.unlink()
    for name, text in explanations().items():
        (EXPLAINED / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
