"""A table with links to it, as the pages for viewers and players are tested."""

import itertools
from typing import Any, Final

import httpx2

from tests.support.browser.scorekeeper_page import BOARDS, list_players

NAMES: Final = ("ann", "ben", "cyd")
THIRD: Final = {
    1: ("Ks Qd 2c", "5s 5d 9h 8h 3c", "Ah Jh 7h 6h 2h"),
    2: ("Ac 8d 2s", "Ts Tc 5h 5c 6s", "7s 7d 7c Jd Js"),
    3: ("Kh Qc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Jc 2d"),
}
"""Boards of a hand in which nobody is dealt or enters Fantasyland."""
_NUMBERS: Final = itertools.count(1)


class LinkedTable:
    """A table with an open round of ann, ben and cyd."""

    def __init__(self, api: httpx2.Client, names: tuple[str, ...] = NAMES, **options: Any) -> None:
        self.api = api
        reference = options.pop("reference", None)
        fields = {"name": f"linked {next(_NUMBERS)}", "ruleset": "pineapple", "point_value": 20, "unit": "EUR"}
        self.name: str = (fields | options)["name"]
        self.id: str = self._post("/v1/tables", fields | options)["id"]
        self.names = names
        self.round = self.open_round(reference=reference)

    def open_round(self, stack: int | None = 200, reference: str | None = None) -> str:
        """Open a round, and return its ID."""
        seats = [
            {"seat": seat, "player": name, **({} if stack is None else {"stack": stack})}
            for seat, name in enumerate(self.names, 1)
        ]
        more = {} if reference is None else {"reference": reference}
        self.round = str(self._post(f"/v1/tables/{self.id}/rounds", {"seats": seats, **more})["id"])
        return self.round

    def play(self, number: int, boards: dict[int, tuple[str, ...]] = BOARDS) -> dict[str, Any]:
        """Record a hand of the round."""
        expected = self.get(f"/v1/rounds/{self.round}")["next"]
        players = [
            {**each, "fantasyland": expected["fantasyland"].get(str(each["seat"]), 0)} for each in list_players(boards)
        ]
        hand = {"number": number, "button": expected["button"] or 3, "players": players}
        return self._post(f"/v1/rounds/{self.round}/hands", hand)

    def complete(self) -> str:
        """Record a whole round of hands without Fantasyland, and return its ID."""
        for number in (1, 2, 3):
            self.play_again(number)
        return self.round

    def play_again(self, number: int) -> dict[str, Any]:
        """Record a hand without Fantasyland, with the cards of every other such hand."""
        hand = {"number": number, "button": (number + 1) % 3 + 1, "players": list_players(THIRD)}
        return self._post(f"/v1/rounds/{self.round}/hands", {**hand, "dealt_again": number > 1})

    def link(self, kind: str = "viewer", **fields: Any) -> dict[str, Any]:
        """Issue a link to the table."""
        return self._post("/v1/links", {"table": self.id, "kind": kind, **fields})

    def link_to_round(self, kind: str = "viewer", **fields: Any) -> dict[str, Any]:
        """Issue a link to the round that was opened last."""
        return self._post("/v1/links", {"round": self.round, "kind": kind, **fields})

    def revoke(self, link: dict[str, Any]) -> None:
        assert self.api.delete(f"/v1/links/{link['id']}").status_code == 204

    def get(self, path: str) -> Any:
        return self.api.get(path).json()

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        response = self.api.post(path, json=body)
        assert response.status_code == 201, response.text
        document: dict[str, Any] = response.json()
        return document
