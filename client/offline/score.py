"""Score a hand, or play a round document, without a service. Results have the shapes of the service."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from client.errors import RefusedError
from client.offline.problems import check_expected, make_refusal, translate_errors
from evidence.charges import dump_charge
from schemas.base import WireError, load, show
from schemas.documents import RoundDocument, RoundDocumentRequestSchema, with_digits
from schemas.hands import Irregularity
from schemas.money import Unit, find_currency
from schemas.next_hand import dump_played_hand, dump_played_round
from schemas.rounds import dump_next
from schemas.rulesets import dump_ruleset, load_ruleset
from schemas.scores import dump_single_hand, load_score_request
from schemas.settlements import dump_settlement
from scoring.errors import HandError, Mistake
from scoring.following import find_top_up_mistakes
from scoring.hand import Hand, TopUp
from scoring.history import PlayedRound, replay, without_needless_marks
from scoring.presets import PRESETS
from scoring.round import add_points
from scoring.ruleset import Ruleset
from scoring.single_hand import score_single_hand

Document = dict[str, Any]

_ROUND: Final = RoundDocumentRequestSchema()


def read_ruleset(own: Document) -> Document:
    """
    Parse a custom ruleset; its version is optional.

    Raises:
        RefusedError: the ruleset is invalid, or has the name of a preset.
    """
    with translate_errors():
        ruleset = load_ruleset(own, version=1)
    preset = PRESETS.get(ruleset.name)
    if preset not in (None, ruleset):
        detail = f"{ruleset.name} is a preset, which never changes; expected another name"
        raise make_refusal("ruleset-invalid", Mistake("ruleset-conflict", ("name",), detail))
    return dump_ruleset(ruleset)


def find_ruleset(document: Mapping[str, Any], own: Document | None) -> Document:
    """
    Return the ruleset of a document: the custom one if given, else the preset that it names.

    Raises:
        RefusedError: the preset does not exist.
    """
    return own or read_preset(str(document.get("ruleset")))


def preset_named(reference: str) -> Ruleset:
    """
    Find a preset by name or name@version.

    Raises:
        RefusedError: the preset does not exist.
    """
    for preset in PRESETS.values():
        if reference in (preset.name, str(preset)):
            return preset
    advice = f"expected one of {', '.join(PRESETS)}, or a custom ruleset with --ruleset FILE"
    detail = f"{reference!r} is not a preset; {advice}"
    raise make_refusal("ruleset-unknown", Mistake("ruleset-unknown", ("ruleset",), detail))


def read_preset(reference: str) -> Document:
    """
    Return a preset by name or name@version, as the service describes it.

    Raises:
        RefusedError: the preset does not exist.
    """
    return dump_ruleset(preset_named(reference))


def is_round(document: Mapping[str, Any]) -> bool:
    """Return whether a document is a whole round, and not one hand."""
    return "hands" in document


def check_shape(document: Document) -> None:
    """
    Validate the fields of a round document, before any of it is posted.

    Raises:
        RefusedError: the document is invalid, with every mistake.
    """
    with translate_errors():
        load(_ROUND, document)


def score_hand(document: Document, own: Document | None = None) -> Document:
    """
    Score one hand; the result is that of `POST /v1/score`.

    Raises:
        RefusedError: the hand is invalid, with every reason.
    """
    with translate_errors():
        request = load_score_request(_under(document, own))
        ruleset = load_ruleset(find_ruleset(document, own))
        single = score_single_hand(ruleset, request.players, request.button)
        result = dump_single_hand(ruleset, single, request.players)
    check_expected(request.expected, result)
    return result


def play_round(document: Document, own: Document | None = None) -> Document:
    """
    Play a round document.

    The result is that of `POST /v1/documents` without ids and times, and the result of each hand.

    Raises:
        RefusedError: the round is invalid; the first invalid hand or step is reported.
    """
    read, ruleset, played = _replay(document, own)
    irregular = [Irregularity(hand.hand.number, hand.irregular) for hand in played.hands if hand.accepted]
    money = read.point_value, read.money_unit
    result = {
        "round": {
            "ruleset": str(ruleset),
            "reference": read.reference,
            "point_value": read.point_value,
            "unit": read.unit,
            "unit_digits": read.unit_digits,
            **dump_charge(read.charge_per, read.charge_amount),
            **dump_played_round(played.round),
        },
        "settlement": dump_settlement(played.round, played.payments, 1, *money, irregular=irregular),
        "hands": [dump_played_hand(ruleset, hand) for hand in played.hands],
    }
    check_expected(read.expected, result)
    return result


def play_hand(document: Document, hand: Document, ruleset: Document) -> Document:
    """
    Return the result of the next hand of a round, like `POST /v1/rounds/{id}/hands` without ids.

    Raises:
        RefusedError: the hand is invalid; pointers are relative to the hand.
    """
    hands = document["hands"]
    # Only the service checks for repeated deals.
    played = {name: value for name, value in hand.items() if name != "dealt_again"}
    try:
        result: Document = play_round({**document, "hands": [*hands, played]}, ruleset)["hands"][-1]
    except RefusedError as error:
        before = f"#/hands/{len(hands)}"
        mistakes = [
            {**mistake, "pointer": "#" + mistake["pointer"].removeprefix(before).removeprefix("#")}
            for mistake in error.problem["errors"]
        ]
        error.problem = {**error.problem, "errors": mistakes}
        raise
    return result


def find_next(document: Document, top_ups: Iterable[Document], ruleset: Document) -> Document | None:
    """
    Return what the next hand of a round must be after top-ups. None if there is no next hand.

    Raises:
        RefusedError: the top-ups or the round are invalid, with every reason.
    """
    _, _, played = _replay(document, ruleset)
    added = tuple(TopUp(top_up["seat"], top_up["points"]) for top_up in top_ups)
    with translate_errors():
        hand = Hand(played.round.hands + 1, played.round.button or 1, (), added)
        mistakes = list(find_top_up_mistakes(played.round, hand))
        if mistakes:
            raise HandError(mistakes)
    upcoming: Document | None = dump_next(add_points(played.round, added).next_hand)
    return upcoming


def _replay(document: Document, own: Document | None) -> tuple[RoundDocument, Ruleset, PlayedRound]:
    with translate_errors():
        read: RoundDocument = load(_ROUND, _under(document, own))
        read = with_digits(read, _find_unit(read))
        ruleset = load_ruleset(find_ruleset(document, own))
        return read, ruleset, replay(without_needless_marks(read.history(ruleset)))


def _find_unit(read: RoundDocument) -> Unit | None:
    """
    Find the unit of a document: a currency, or a unit of the club with the digits that the document has.

    Raises:
        WireError: the unit is no currency, and the document does not have its digits.
    """
    if read.unit is None:
        return None
    unit = find_currency(read.unit) or read.money_unit
    if unit is None:
        detail = f"is {show(read.unit)}, not a currency of ISO 4217; expected a code such as EUR, or `unit_digits` too"
        raise WireError((Mistake("unit-unknown", ("unit",), detail),))
    return unit


def _under(document: Document, own: Document | None) -> Document:
    """Return a document that names the custom ruleset if one is given."""
    return {**document, "ruleset": own["name"]} if own else document
