"""docs/rules.md 2, Foul: when a board is foul."""

from typing import Any

from tests.oracle.rows import qualifies, strength5, top_beats


def foul_reason(board: dict[str, Any], ruleset: dict[str, Any]) -> str | None:
    """Why the board is foul, or None for a good one."""
    if ruleset["low_middle"]:
        if not qualifies(board["middle"]):
            return "middle_does_not_qualify"
        if top_beats(board["top"], board["bottom"]):
            return "top_beats_bottom"
        return None
    if top_beats(board["top"], board["middle"]):
        return "top_beats_middle"
    if strength5(board["middle"]) > strength5(board["bottom"]):
        return "middle_beats_bottom"
    return None
