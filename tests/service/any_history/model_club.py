"""A club of the service and the model of it, side by side."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg
from psycopg import sql

from client.offline.score import play_round
from schemas.verification.evidence_file import verify
from tests.oracle import PRESETS
from tests.service.any_history.model_round import COMES_TO, VIEWED, Happened, Modelled
from tests.support.api_client import ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of
from tests.support.sample_rounds import Document, add_table, without

UNTOUCHED_BY_REQUESTS = ("api_keys", "idempotent_responses")
"""Tables that a request without a change may write: the last use of the key, and the stored response."""
FINALITY = ("state", "provisional_until", "confirmed")
"""Fields of a settlement document that change while the settlement does not."""
_TABLES = """
    SELECT DISTINCT table_name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'club_id' AND table_name <> ALL (%s) ORDER BY 1
"""
_CONTENT = sql.SQL("SELECT {}, coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') FROM {} t WHERE club_id = {}")


def with_players(settlement: Document, document: Document) -> Document:
    """Add the players and the money of each transfer, as the settlement of a round has them."""
    players = {seat["seat"]: seat["player"] for seat in document["seats"]}
    worth = document.get("point_value")
    transfers = [
        {
            **paid,
            "payer_player": players[paid["payer"]],
            "payee_player": players[paid["payee"]],
            "amount": None if worth is None else paid["paid"] * worth,
        }
        for paid in settlement["transfers"]
    ]
    return {**settlement, "transfers": transfers}


class Club:
    """What the service has of a club, and what the model says of it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.api = house.new_client()
        self.id = club_of(house, self.api)
        chips = self.api.post("/v1/units", {"code": "chips", "name": "Chips of the club", "digits": 2})
        assert chips.status == 201, chips
        self.tables: dict[str, Document] = {}
        self.names: dict[str, str] = {}
        self.hasty: set[str] = set()
        self.rounds: list[Modelled] = []
        self.recorded: dict[str, str] = {}
        """Payments and charges, by their IDs: what they are in addresses."""
        self.taken_back: set[str] = set()
        self.claims: list[str] = []
        """Claims of payments."""
        self.ended: dict[str, str] = {}
        """Claims that have ended, and how."""
        self.aliases: dict[str, str] = {}
        """The players of joined IDs."""
        self.posted: dict[tuple[str, int], Document] = {}
        """The lines of the ledger as they were last."""

    # --- requests to both ---

    def add_table(self, preset: str) -> str:
        """Set up a table; every second one has no time for corrections."""
        name, is_hasty = f"{preset} {len(self.tables) + 1}", len(self.tables) % 2 == 0
        table = add_table(self.api, preset, name, correction_window_minutes=0 if is_hasty else 30)
        if is_hasty:
            self.hasty.add(table)
        self.tables[table], self.names[table] = PRESETS[preset], name
        return table

    def read(self, round_: Modelled, what: str) -> ApiResponse:
        response = self.api.get(f"/v1/rounds/{round_.id}{what}")
        assert response.status == 200, response
        return response

    def post(self, round_: Modelled, what: str, body: Document) -> ApiResponse:
        return self.api.post(f"/v1/rounds/{round_.id}/{what}", body)

    def open_round_at(self, table: str) -> Modelled | None:
        return next((each for each in self.rounds if each.table == table and each.status == "open"), None)

    def is_followed(self, round_: Modelled) -> bool:
        """Return whether another round was played at its table since: no stack carries over to imported rounds."""
        later = self.rounds[self.rounds.index(round_) + 1 :]
        return any(each.table == round_.table and not each.is_imported for each in later)

    def add(self, round_id: str, table: str, happened: Happened, *, is_imported: bool = False) -> Modelled:
        version = self.api.get(f"/v1/rounds/{round_id}")["version"]
        self.rounds.append(
            Modelled(round_id, table, happened, version, is_imported=is_imported, final=1 if is_imported else None)
        )
        return self.rounds[-1]

    # --- how the two are compared ---

    def has_moved(self, round_: Modelled, happened: Happened, shown: Document, *, revised: bool = False) -> None:
        """Hold a round that one thing has just happened in against the model."""
        if revised:
            round_.past.append(self._shown_of(round_))
            round_.revision += 1
            round_.confirmed = set()
        round_.version += 1
        round_.happened = happened
        assert shown["version"] == round_.version
        self.agrees(round_)

    def remember(self, round_: Modelled) -> None:
        """Store the view of a revision before a newer one can exist."""
        round_.past[round_.revision - 1 :] = [self._shown_of(round_)]

    def list_events(self) -> list[Document]:
        """List all events of the club, which have joined its tree."""
        response = self.api.get("/v1/events?limit=1000")
        listed = [json.loads(line) for line in response.text.splitlines()]
        while response.text:
            response = self.api.get(f"/v1/events?limit=1000&after={listed[-1]['position']}")
            listed += [json.loads(line) for line in response.text.splitlines()]
        return listed

    def proves_itself(self, round_: Modelled) -> None:
        """Verify the round's evidence offline, after everything is signed."""
        report = verify(self.read(round_, "/evidence").document)
        assert report.failed == [], report.failed
        assert report.is_complete
        assert ["a key that only the file contains" in each for each in report.unchecked] == [True]

    def agrees(self, round_: Modelled) -> None:
        """Hold all that the service says of a round against the model, and the round's points against zero."""
        shown, settlement = self.read(round_, "").document, self.read(round_, "/settlement").document
        right = round_.happened.view
        came_to = with_players(round_.happened.settlement, round_.happened.document)
        for part in VIEWED:
            assert shown[part] == right[part], f"{part} is {shown[part]}; the model has {right[part]}"
        for part in COMES_TO:
            assert settlement[part] == came_to[part], f"{part} is {settlement[part]}; the model has {came_to[part]}"
        assert (shown["version"], settlement["revision"]) == (round_.version, round_.revision)
        assert (settlement["state"], set(settlement["confirmed"])) == (round_.state, round_.confirmed)
        assert sum(settlement["net"].values()) == 0
        self._is_adjusted(round_, settlement)

    def _is_adjusted(self, round_: Modelled, settlement: Document) -> None:
        """Hold what is paid after a correction to leading from the settlement that was final to this one."""
        settled = round_.net_when_final
        if settled is None:
            assert settlement["adjustment"] is None or round_.final == round_.revision
            return
        adjustment = settlement["adjustment"]
        assert adjustment["from_revision"] == round_.final
        nets = {seat["player"]: settled[str(seat["seat"])] for seat in round_.happened.document["seats"]}
        for paid in adjustment["transfers"]:
            nets[paid["payer"]] -= paid["points"]
            nets[paid["payee"]] += paid["points"]
        assert nets == {
            seat["player"]: settlement["net"][str(seat["seat"])] for seat in round_.happened.document["seats"]
        }

    def replays_itself(self, round_: Modelled) -> None:
        """Replay every revision from its stored document, and compare the results with the stored settlements."""
        for revision in range(1, round_.revision + 1):
            shown = self._shown_of(round_, revision)
            played = with_players(play_round(shown["document"])["settlement"], shown["document"])
            settlement = shown["settlement"]
            assert {part: settlement[part] for part in COMES_TO} == {part: played[part] for part in COMES_TO}
            assert sum(settlement["net"].values()) == 0
            if revision < round_.revision:
                assert shown == round_.past[revision - 1], "a revision that was superseded has changed"

    def _shown_of(self, round_: Modelled, revision: int | None = None) -> dict[str, Any]:
        number = round_.revision if revision is None else revision
        document = self.read(round_, f"/document?revision={number}").document
        settlement = self.read(round_, f"/settlement?revision={number}").document
        return {"document": document, "settlement": without(settlement, *FINALITY)}

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Hold what is done inside to leaving every record of the club as it was, byte for byte."""
        before = self._fingerprints()
        yield
        after = self._fingerprints()
        assert after == before, {name for name in after if after[name] != before[name]}

    def _fingerprints(self) -> dict[str, str]:
        with psycopg.connect(self.house.owner_url) as records:
            tables = records.execute(_TABLES, [list(UNTOUCHED_BY_REQUESTS)]).fetchall()
            club = sql.Literal(self.id)
            parts = [_CONTENT.format(sql.Literal(name), sql.Identifier(name), club) for (name,) in tables]
            rows = records.execute(sql.SQL(" UNION ALL ").join(parts)).fetchall()
        return {name: sha256(content.encode()).hexdigest() for name, content in rows}


def as_written(document: Document) -> bytes:
    """Write a document as a line to import."""
    return json.dumps(document).encode() + b"\n"
