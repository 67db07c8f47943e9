"""The next hand of a round: prompt for it at once, read the service meanwhile, preview the result."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.api import Client
from client.entry.current_round import CurrentRound, Refresh, find_stored, require_next
from client.entry.hand import HandEntry, ask_again, make_question
from client.entry.prompt import confirm
from client.entry.question import NO, YES, Asker, BackError
from client.errors import RefusedError
from client.outbox.send import Sent
from client.outbox.store import Outbox
from client.render.format import Names
from client.render.hands import explain_hand, explain_next

Document = dict[str, Any]

_UNDONE: Final = "recorded before and undone; it does not count"
_OFFLINE_NOTE: Final = (
    "The service does not respond. This is the result by the same rules, for the round as it was last read:"
)


class HandPrompt:
    """
    The next hand, and the round that it belongs to.

    Args:
        client: the service.
        outbox: the waiting requests.
        table: the table's name or id.
        read_top_ups: parses the top-ups before the hand, once the players are known.
        notify: called with every waiting request that was sent.
        on_changed: called if the next hand differs from the one stored on this machine.
        is_prompt: whether to prompt before the service has responded, which needs a terminal.

    Raises:
        RefusedError: a waiting request is refused, or the top-ups are invalid.
        RoundOverError: the round accepts no more hands.
    """

    def __init__(
        self,
        client: Client,
        outbox: Outbox,
        table: str,
        read_top_ups: Callable[[CurrentRound], Sequence[Document]],
        notify: Callable[[Sent], None],
        on_changed: Callable[[CurrentRound], None],
        *,
        is_prompt: bool,
    ) -> None:
        self._read_top_ups = read_top_ups
        self._on_changed = on_changed
        self._refresh = Refresh(client, outbox, table, notify)
        self._is_synced = False
        stored = find_stored(outbox, table) if is_prompt else None
        if stored is None or stored.round["next"] is None:
            stored = self._refresh.sync()
            self._is_synced = True
        require_next(stored)
        self.current = stored
        self.top_ups = read_top_ups(stored)
        upcoming = self._find_upcoming()
        number = upcoming["number"]
        self.entry = HandEntry(
            upcoming,
            Names(stored.round["seats"]),
            stored.known.ruleset,
            top_ups=self.top_ups,
            typed=outbox.find_draft(stored.known.round_id, number),
            save=lambda typed: outbox.store_draft(self.current.known.round_id, self.entry.upcoming["number"], typed),
            refresh=self.refresh,
        )

    def refresh(self) -> None:
        """Apply the response of the service if there is one by now."""
        if not self._is_synced and self._refresh.has_news:
            self.sync()

    def sync(self) -> None:
        """
        Wait for the response of the service, for a short time and once.

        Raises:
            RefusedError: a waiting request is refused, or the top-ups are invalid.
            RoundOverError: the round accepts no more hands.
        """
        if self._is_synced:
            return
        self._is_synced = True
        if not self.current.become(self._refresh.sync()):
            return
        self.top_ups = self._read_top_ups(self.current)
        self.entry.top_ups = self.top_ups
        upcoming = self._find_upcoming()
        self._on_changed(self.current)
        self.entry.update_hand(upcoming, Names(self.current.round["seats"]), self.current.known.ruleset)

    def _find_upcoming(self) -> Document:
        """Return what the next hand must be, with all players who play after top-ups."""
        upcoming, known = require_next(self.current), self.current.known
        if self.top_ups:
            from client.offline.score import find_next  # slow to import, and rarely needed here

            with self.current.advising():
                upcoming = find_next(known.document, self.top_ups, known.ruleset) or upcoming
        return upcoming


def enter_hand(
    console: Console, asker: Asker, next_hand: HandPrompt, *, is_agreed: bool = False
) -> tuple[Document, Document] | None:
    """
    Prompt for the missing parts, show the result of the hand by the rules on this machine, and ask for agreement.

    Args:
        console: the output.
        asker: the source of replies.
        next_hand: the hand as far as it is known.
        is_agreed: record the hand without asking.

    Returns:
        the hand to record and its result, or None if the scorekeeper declines.

    Raises:
        RefusedError: the hand is invalid, and there is no terminal to correct it.
        StoppedError: the scorekeeper stopped.
    """
    current, entry = next_hand.current, next_hand.entry
    while True:
        entry.ask(asker)
        next_hand.sync()
        entry.ask(asker)
        hand = entry.document()
        try:
            result = current.play_hand(hand)
        except RefusedError as error:
            ask_again(console, asker, entry, error)
            continue
        _show(console, current, entry, hand, result)
        try:
            verb = "Save" if current.outage is not None else "Record"
            reply = "yes" if is_agreed else asker.ask(make_question(entry, verb))
        except BackError:
            entry.ask_again(entry.places[-1])
            continue
        if reply in NO:
            return None
        if reply in YES:
            return hand, result
        entry.ask_again(entry.find_place(reply))


def confirm_restore(console: Console, asker: Asker, hand: Document, *, is_agreed: bool) -> bool:
    """Ask whether to restore a hand that was recorded with the same cards and undone."""
    console.print(f"Hand {hand['number']}: {_UNDONE}.")
    return is_agreed or confirm(asker, f"Restore hand {hand['number']}?")


def _show(console: Console, current: CurrentRound, entry: HandEntry, hand: Document, result: Document) -> None:
    if current.outage is not None:
        console.print(Text(f"\n{_OFFLINE_NOTE}", style="yellow"))
    explain_hand(console, hand, result, current.known.ruleset, entry.names)
    explain_next(console, result["round"], entry.names)
    console.print()
