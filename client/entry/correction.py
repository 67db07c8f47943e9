"""Correct a recorded hand: edit it, preview what changes, store the correction."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console

from client.api import Client
from client.entry.current_round import CurrentRound
from client.entry.hand import FANTASYLAND, HandEntry, ask_again, make_question, write_fantasyland, write_hand
from client.entry.prompt import ask_reason, confirm
from client.entry.question import NO, YES, Asker, BackError
from client.errors import ApiError, RefusedError, UnreadableError
from client.offline.typed_board import PARTS
from client.proposing import Corrected, correct_or_propose, needs_second_auditor
from client.render.format import Names
from client.render.problems import show_problem
from client.render.settlement import show_comparison

Document = dict[str, Any]

IRREGULAR: Final = "hand-irregular"
_IN_PATCH: Final = "#/patch/0/value"
DRY_RUN_REASON: Final = "dry run"
"""The reason in dry runs, which store nothing."""


class Correction:
    """
    The correction of one hand of a round.

    Args:
        client: the service.
        current: the round, as the service has it.
        number: the number of the hand.
        accepts: whether later hands that no longer follow are accepted as played.

    Raises:
        UnreadableError: the round does not have the hand.
    """

    def __init__(self, client: Client, current: CurrentRound, number: int, *, accepts: bool) -> None:
        self._client = client
        self._current = current
        self._accepts = accepts
        self.recorded = _find_hand(current, number)
        seats = [player["seat"] for player in self.recorded["players"]]
        self.entry = HandEntry(
            {"number": number, "button": None, "fantasyland": None, "seats": seats},
            Names(current.round["seats"]),
            current.ruleset,
            typed={**write_hand(self.recorded), FANTASYLAND: write_fantasyland(self.recorded)},
            stop="Ctrl-C: stop; nothing changes",
        )

    def check_allowed(self) -> None:
        """
        Check with the service that the round can be corrected, before anything is typed.

        Raises:
            RefusedError: the round cannot be corrected, or not with this key.
        """
        request: Any = {**self._request(DRY_RUN_REASON), "patch": []}
        try:
            self._client.correct_round(self._current.id, request, dry_run=True)
        except ApiError as error:
            if not needs_second_auditor(error):
                raise

    def enter(self, console: Console, asker: Asker, *, is_agreed: bool) -> Corrected | None:
        """
        Prompt for the hand, show what changes, and ask for agreement.

        Returns:
            the dry run of the correction, or of its proposal; None if the scorekeeper declines.

        Raises:
            RefusedError: the correction is refused, and there is no terminal to change it.
            KeyboardInterrupt: the scorekeeper stopped.
        """
        while True:
            self.entry.ask(asker)
            try:
                tried = correct_or_propose(self._client, self._current.id, self._write(DRY_RUN_REASON), dry_run=True)
            except RefusedError as error:
                if not self._resolve_refusal(console, asker, error, is_agreed=is_agreed):
                    return None
                continue
            show_comparison(console, tried.comparison)
            console.print()
            if is_agreed or not tried.comparison["changed"]:
                return tried
            verb = "Correct" if tried.proposal is None else "Propose"
            try:
                reply = asker.ask(make_question(self.entry, verb))
            except BackError:
                self.entry.ask_again(self.entry.places[-1])
                continue
            if reply in YES | NO:
                return tried if reply in YES else None
            self.entry.ask_again(self.entry.find_place(reply))

    def store(self, asker: Asker, reason: str | None) -> Corrected:
        """
        Store the correction, or propose it if the club requires a second auditor. Without a reason, prompt for one.

        Raises:
            RefusedError: the correction is refused, for example because the round has changed since.
        """
        return correct_or_propose(self._client, self._current.id, self._write(reason or ask_reason(asker)))

    def _resolve_refusal(self, console: Console, asker: Asker, error: RefusedError, *, is_agreed: bool) -> bool:
        """Ask to type the hand again, or to accept later hands as played. Return False if both are declined."""
        if error.code != IRREGULAR:
            error.problem = {**error.problem, "errors": [_in_hand(each) for each in error.problem["errors"]]}
            ask_again(console, asker, self.entry, error)
            return True
        if is_agreed or not asker.can_correct:
            error.advice = "`--irregular accept` accepts irregular later hands as played."
            raise error
        show_problem(console, error.problem)
        self._accepts = confirm(asker, "Accept the later hands as played?")
        return self._accepts

    def _write(self, reason: str) -> Any:
        place = f"/hands/{self.recorded['number'] - 1}"
        amended = _amend(self.recorded, self.entry.document())
        return {**self._request(reason), "patch": [{"op": "replace", "path": place, "value": amended}]}

    def _request(self, reason: str) -> Document:
        accepting = {"irregular": "accept"} if self._accepts else {}
        return {"reason": reason, "version": self._current.round["version"], **accepting}


def _find_hand(current: CurrentRound, number: int) -> Document:
    hands: list[Document] = current.document["hands"]
    if not 1 <= number <= len(hands):
        there = f"it has hands 1 to {len(hands)}" if len(hands) > 1 else f"it has {len(hands) or 'no'} hand"
        raise UnreadableError(f"the round at {current.table} has no hand {number}; {there}")
    return hands[number - 1]


def _amend(recorded: Document, typed: Mapping[str, Any]) -> Document:
    """Return a recorded hand with the typed values. Values that are not typed, such as top-ups, remain."""
    players = [_amend_player(was, now) for was, now in zip(recorded["players"], typed["players"], strict=True)]
    return {**recorded, "button": typed["button"], "players": players}


def _amend_player(recorded: Document, typed: Mapping[str, Any]) -> Document:
    """Return a player with the typed values. The streets of changed cards are unknown."""
    amended = {**recorded, "discards": None, **typed}
    if any(sorted(recorded.get(part) or ()) != sorted(amended[part] or ()) for part in PARTS):
        amended["streets"] = None
    return amended


def _in_hand(mistake: Mapping[str, str]) -> dict[str, str]:
    """Return a mistake with its pointer relative to the hand."""
    pointer = mistake["pointer"]
    return {**mistake, "pointer": "#" + pointer.removeprefix(_IN_PATCH) if pointer.startswith(_IN_PATCH) else pointer}
