"""Compare the results that a file of another tool claims with ours, and find the ruleset that explains it best."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from client.errors import RefusedError
from client.offline.file_hands import FileHand, FilePlayer
from client.offline.score import Document, score_hand
from schemas.rulesets import dump_ruleset
from scoring.presets import PRESETS

_TRIED: Final = 60
"""Hands with which rulesets are tried; the best is then compared with all of them."""
_PENALTIES: Final = (0, 3, 6)
_FIELDS: Final = (("points",), ("royalties",), ("fantasyland", "enter"), ("fantasyland", "stay"))


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    The results of a file's hands under a ruleset.

    Attributes:
        hands: the number of hands that were scored.
        agreeing: the number of these whose claims all agree.
        differences: a sentence for each claim that differs, in the order of the file.
        refused: a sentence for each hand that is invalid under the ruleset.
    """

    hands: int
    agreeing: int
    differences: tuple[str, ...]
    refused: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int]:
        """What a better comparison has less of: hands that do not agree, and differences."""
        return self.hands - self.agreeing + len(self.refused), len(self.differences)


def compare(hands: Iterable[FileHand], ruleset: Document) -> Comparison:
    """Score hands under a ruleset, and compare what the file claims of them."""
    scored = agreeing = 0
    differences, refused = list[str](), list[str]()
    for hand in hands:
        try:
            result = score_hand(_request(hand), ruleset)
        except RefusedError as error:
            first = error.problem["errors"][0] if error.problem["errors"] else error.problem
            refused.append(f"{hand.label}: {first['detail']}")
            continue
        own = list(_differences(hand, result))
        scored += 1
        agreeing += not own
        differences += own
    return Comparison(scored, agreeing, tuple(differences), tuple(refused))


def find_ruleset(hands: Sequence[FileHand], preferred: str | None = None) -> Document:
    """
    Return the preset under which most of the hands have the results of the file.

    Of several that explain it equally well it is the preferred one, or else the one that the file names, or else the
    first of the presets.
    """
    sample = hands[:_TRIED]
    named = preferred or next((hand.ruleset for hand in hands if hand.ruleset is not None), None)
    presets = sorted(PRESETS.values(), key=lambda preset: preset.name != named)
    return min(map(dump_ruleset, presets), key=lambda ruleset: compare(sample, ruleset).rank)


def find_field(hands: Sequence[FileHand], ruleset: Document) -> tuple[str, Comparison] | None:
    """
    Return the change of one field with which more of the hands agree, and the comparison with it.

    Values are those of the presets and some penalties for a foul. None if no single change explains more.
    """
    sample = hands[:_TRIED]
    best_rank, best = compare(sample, ruleset).rank, None
    for words, changed in _changes(ruleset):
        try:
            comparison = compare(sample, changed)
        except RefusedError:  # the value contradicts the others
            continue
        if comparison.rank < best_rank:
            best_rank, best = comparison.rank, (words, comparison)
    return best


def _changes(ruleset: Document) -> Iterator[tuple[str, Document]]:
    for penalty in _PENALTIES:
        points = {**ruleset["points"], "foul_penalty": penalty}
        yield f"points.foul_penalty {penalty}", _changed(ruleset, ("points",), points)
    for path in _FIELDS:
        tried = [_value(ruleset, path)]
        for preset in PRESETS.values():
            if preset.low_middle != ruleset["low_middle"]:
                continue
            value = _value(dump_ruleset(preset), path)
            if value not in tried:
                tried.append(value)
                yield f"{'.'.join(path)} of {preset.name}", _changed(ruleset, path, value)


def _value(ruleset: Mapping[str, Any], path: Sequence[str]) -> Any:
    for name in path:
        ruleset = ruleset[name]
    return ruleset


def _changed(ruleset: Document, path: Sequence[str], value: Any) -> Document:
    first, *rest = path
    inner = _changed(ruleset[first], rest, value) if rest else value
    changed = {**ruleset, first: inner}
    return {**changed, "name": "tried"} if "name" in ruleset else changed


def _request(hand: FileHand) -> Document:
    return {"button": hand.button, "players": [player.document() for player in hand.players]}


def _differences(hand: FileHand, result: Document) -> Iterator[str]:
    by_seat = {player["seat"]: player for player in result["players"]}
    names = {player.name: player.seat for player in hand.players}
    for player in hand.players:
        ours = by_seat[player.seat]
        for sentence in (*_board_differences(player, ours), *_against_differences(player, names, result)):
            yield f"{hand.label}: {sentence}"


def _board_differences(player: FilePlayer, ours: Document) -> Iterator[str]:
    claims, name = player.claims, player.name
    if claims.foul is not None and bool(claims.foul) != ours["foul"]:
        yield f"the board of {name} is {_foul(claims.foul)} in the file; here it is {_foul(ours['foul'])}"
    if not ours["foul"]:
        # Some tools write the royalties of rows without regard to fouls.
        for row, royalty in claims.row_royalties.items():
            scored = ours["rows"].get(row)
            if scored is not None and royalty != scored["royalty"]:
                hand = scored["description"]
                yield f"the file pays {name} {royalty} for the {row}; here {hand} pays {scored['royalty']}"
    if claims.royalties is not None and claims.royalties != ours["royalties"]:
        yield f"the file has {claims.royalties} royalties for {name}; here {ours['royalties']}"
    if claims.points is not None and claims.points != ours["points"]:
        yield f"the file has {claims.points:+} points for {name}; here {ours['points']:+}"
    fantasyland = claims.fantasyland
    if isinstance(fantasyland, bool) and fantasyland != bool(ours["fantasyland"]):
        is_in, is_here = ("" if each else "not " for each in (fantasyland, ours["fantasyland"]))
        yield f"{name} is {is_in}in Fantasyland next in the file; here {is_here}in it"
    elif type(fantasyland) is int and fantasyland != ours["fantasyland"]:
        yield f"{name} earns Fantasyland of {fantasyland} cards in the file; here {ours['fantasyland']}"


def _foul(is_foul: bool) -> str:
    return "foul" if is_foul else "not foul"


def _against_differences(player: FilePlayer, names: Mapping[str, int], result: Document) -> Iterator[str]:
    for opponent, points in player.claims.against.items():
        ours = _exchange(result, player.seat, names.get(opponent))
        if ours is not None and ours != points:
            yield f"the file has {points:+} points for {player.name} against {opponent}; here {ours:+}"


def _exchange(result: Document, seat: int, opponent: int | None) -> int | None:
    for exchange in result["exchanges"]:
        if exchange["seats"] == [seat, opponent]:
            return int(exchange["points"])
        if exchange["seats"] == [opponent, seat]:
            return -int(exchange["points"])
    return None
