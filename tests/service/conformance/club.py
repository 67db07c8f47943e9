"""A club at play, which knows what a client that plays there would send next."""

import json
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any
from uuid import UUID

from evidence.cosignatures import CosigningKey
from scoring.cards import DECK, Card
from scoring.ruleset import BOARD_SIZE
from tests.oracle.deal import cards_seen
from tests.oracle.rulesets import random_ruleset
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import body_of
from tests.support.examples.cosignatures import cosignature_of
from tests.support.sample_rounds import NOBODYS, Document, seats
from tests.support.scoring.strategies import set_cards
from tests.support.worker_process import lines_of, post_import, rounds_to_import

PLAYERS = ("ann", "bob", "cyd", "dan")
AUDIT: Document = {"scope": {}, "mode": "audit", "reason": "yearly audit"}


class Club:
    """
    What a club has, by the names that ids have in addresses, and a valid body for each operation.

    Requests of the same operation are always the same, except for ids.
    """

    def __init__(self, api: Api, operation_id: str, proposer: Api | None = None) -> None:
        self.api = api
        self.proposer = proposer or api
        """The client that makes the proposals, which it cannot confirm."""
        self.work_on: Callable[[str], object] = api.get
        """What works on a job, by its path."""
        self.rng = Random(operation_id)
        self.rulesets: dict[str, Document] = {
            ruleset["name"]: ruleset
            for ruleset in api.get("/v1/rulesets")["rulesets"]
            if operation_id != "record_departure" or ruleset["leaving"] == "between_hands"
        }
        self._table: ApiResponse | None = None
        self._closed: ApiResponse | None = None
        self._round_id = ""
        self._webhook_id = ""
        self._alias = ""
        self.parameters: dict[str, Callable[[], str]] = {
            # No round may be open where one is opened.
            "table_id": lambda: self.add_table() if operation_id == "open_round" else str(self.playing()["table"]),
            "round_id": lambda: (
                self.close_round()
                if operation_id == "confirm_settlement"
                # A departure needs a round that is open after another hand.
                else self.open_round()
                if operation_id in ("record_departure", "propose_correction")
                else str(self.playing()["id"])
            ),
            "hand_id": self.play_hand,
            "record_id": self.play_hand,
            "dispute_id": self.open_dispute if operation_id != "resolve_dispute" else self.review_dispute,
            "import_id": self.start_import,
            "recomputation_id": self.finish_recomputation
            if operation_id == "propose_recomputation"
            else self.start_recomputation,
            "proposal_id": self.propose,
            "reference": lambda: self.rng.choice(list(self.rulesets)),
            "key_id": self.spare_key,
            "link_id": self.issue_link,
            "device_id": lambda: str(UUID(int=self.rng.getrandbits(128))),
            "webhook_id": self.add_webhook,
            "delivery_id": self.send_test,
            **{f"{kind}_id": partial(self.record, kind) for kind in ("payment", "charge", "payment_claim")},
            "address": lambda: str(self._made("/v1/checkpoints", None)["id"]),
            "plot": lambda: self.rng.choice(["net", "sources", "head-to-head", "caps", "fouls", "distribution"]),
            "player": lambda: self.player_for(operation_id),
        }
        self.queries: dict[str, Callable[[], Document]] = {
            "find_id": lambda: {"ending": self.add_table()[-12:], "kind": "table"},
            "prove_consistency": self.two_sizes,
            "prove_inclusion": self.place_in_tree,
        }
        self.bodies = self._bodies()

    def _bodies(self) -> dict[str, Callable[[], Document | str]]:
        """Return what makes a body for each operation that has one."""
        return {
            "score_hand": self.hand_to_score,
            "add_ruleset": lambda: {**random_ruleset(self.rng), "name": self.new_name()},
            "define_unit": lambda: {"code": f"U{self.rng.randrange(10**8)}", "name": self.new_name(), "digits": 3},
            "add_table": lambda: {"name": self.new_name(), "ruleset": self.rng.choice(list(self.rulesets))},
            "update_table": lambda: {"name": self.new_name(), "minimum_stack": self.rng.randint(1, 100)},
            "open_round": lambda: self.round_to_open(self._table or self.playing()),
            **{f"update_{what}": lambda: {"metadata": {"film": self.new_name()}} for what in ("round", "hand")},
            "record_hand": lambda: self.next_hand(self.playing()),
            "record_hands": self.hand_lines,
            "record_departure": self.departure,
            "issue_link": self.to_share,
            "add_cosignature": self.cosignature,
            "sign_in_phone": self.phone,
            "undo_hand": self.undo,
            "confirm_settlement": self.confirmation,
            "play_document": self.document,
            **dict.fromkeys(("correct_round", "propose_correction"), self.correction),
            **dict.fromkeys(("propose_recomputation", "withdraw_proposal"), lambda: {"reason": self.new_name()}),
            "what_if": lambda: {"changes": self.row_changes()} if self.rng.random() < 0.5 else {},
            "open_dispute": self.claim,
            **{f"{step}_dispute": partial(body_of, step, 1) for step in ("review", "withdraw")},
            "comment_on_dispute": lambda: body_of("comments", 1, comment=self.new_name()),
            "resolve_dispute": partial(body_of, "resolve", 2),
            **{f"record_{kind}": partial(self.to_record, kind) for kind in ("payment", "charge")},
            "claim_payment": partial(self.to_record, "payment"),
            "join_player": lambda: {"alias": self.new_name()},
            "part_player": lambda: {"alias": self._alias},
            "start_recomputation": lambda: AUDIT,
            "create_key": self.key_to_create,
            "add_webhook": self.webhook_to_add,
            "update_webhook": self.webhook,
            "rotate_webhook_secret": dict,
        }

    def playing(self) -> ApiResponse:
        """Return the round in play; a new one at a new table if the last accepts no hand."""
        round_ = self.api.get(f"/v1/rounds/{self._round_id or self.open_round()}")
        return round_ if round_["next"] else self.api.get(f"/v1/rounds/{self.open_round()}")

    def open_round(self) -> str:
        """Open a round at a new table, under some preset."""
        table_id = self.add_table()
        assert self._table is not None
        self._round_id = self._made(f"/v1/tables/{table_id}/rounds", self.round_to_open(self._table))["id"]
        return self._round_id

    def add_table(self) -> str:
        """Set up a table under some preset."""
        self._table = self._made("/v1/tables", self.bodies["add_table"]())
        return str(self._table["id"])

    def play_hand(self) -> str:
        """Post a hand that follows."""
        round_ = self.playing()
        return str(self._made(f"/v1/rounds/{round_['id']}/hands", self.next_hand(round_))["id"])

    def hand_lines(self) -> str:
        """Return lines of a batch: a hand that follows, and now and then one that does not."""
        round_ = self.playing()
        hands = [self.next_hand(round_)]
        if self.rng.random() < 0.25:
            hands.append({**hands[0], "number": 99})
        return "\n".join(json.dumps({"round": str(round_["id"]), **hand}) for hand in hands)

    def claim(self) -> Document:
        """Hold something against the round at play, which is closed for that."""
        closed = self.api.post(f"/v1/rounds/{self.playing()['id']}/close", {"reason": "somebody objects"})
        assert closed.status == 200, closed
        return {"round": closed["id"], "claim": self.new_name(), "by": closed["seats"][0]["player"]}

    def open_dispute(self) -> str:
        """Open a dispute of a round that was just closed."""
        return str(self._made("/v1/disputes", self.claim())["id"])

    def review_dispute(self) -> str:
        """Open a dispute, and look into it."""
        dispute_id = self.open_dispute()
        self._made(f"/v1/disputes/{dispute_id}/review", body_of("review", 1))
        return dispute_id

    def issue_link(self) -> str:
        """Issue a link to the table that was added last."""
        table_id = self.add_table() if self._table is None else self._table["id"]
        return str(self._made("/v1/links", {"table": table_id})["id"])

    def link_secret(self) -> str:
        """Return the secret of a link to a new table."""
        return str(self._made("/v1/links", {"table": self.add_table()})["url"]).rpartition("/")[2]

    def name_player(self) -> str:
        """Set a display name and return the ID of the player."""
        player = self.rng.choice(PLAYERS)
        assert self.api.put(f"/v1/players/{player}", {"display_name": player.title()}).status in (200, 201)
        return player

    def player_for(self, operation_id: str) -> str:
        """Choose a player of whom an operation knows something."""
        if operation_id in ("get_player_statistics", "join_player", "part_player"):
            self.play_hand()
            player = str(self.rng.choice(self.playing()["seats"])["player"])
            if operation_id == "part_player":
                self._alias = self.new_name()
                self._made(f"/v1/players/{player}/aliases", {"alias": self._alias})
            return player
        return self.rng.choice(PLAYERS) if operation_id == "name_player" else self.name_player()

    def two_sizes(self) -> Document:
        """Choose two sizes that the tree of events had, the smaller first."""
        size = self._tree_size()
        older, newer = sorted(self.rng.randint(0, size) for _ in range(2))
        return {"from": older, "to": newer}

    def place_in_tree(self) -> Document:
        """Choose a size that the tree of events had, and an event that was in it then."""
        size = self.rng.randint(1, self._tree_size())
        return {"position": self.rng.randrange(size), "size": size}

    def spare_key(self) -> str:
        """Find a key that nobody uses, or the id of none."""
        named = [key["id"] for key in self.api.get("/v1/keys")["keys"] if key["name"] == "spare"]
        return str(named[0] if named else NOBODYS)

    def to_share(self) -> Document:
        """Choose what a link is to: a table or a round."""
        return {"table": self.add_table()} if self.rng.random() < 0.5 else {"round": self.playing()["id"]}

    def phone(self) -> Document:
        """Choose a code that no phone has used, and the secret of a phone."""
        code = self._made("/v1/phone-links", {})["url"].partition("#")[2]
        return {"code": code, "secret": f"ofc_link_{self.rng.getrandbits(172):043x}"}

    def key_to_create(self) -> Document:
        """Choose what a key is for; every key that creates one has the scope to give."""
        return {"name": self.new_name(), "scopes": ["admin"], "expires_at": "2099-12-31T23:00:00Z"}

    def to_record(self, kind: str) -> Document:
        """Return a payment between two players of the round in play, or a charge of one of them."""
        round_ = self.playing()
        payer, payee = self.rng.sample([seat["player"] for seat in round_["seats"]], 2)
        recorded = {"amount": self.rng.randint(1, 10_000), "reference": self.new_name()}
        if kind != "charge":
            return {**recorded, "payer": payer, "payee": payee, "unit": self.rng.choice(["EUR", round_["table"]])}
        return {**recorded, "player": payer, "unit": "EUR", "reason": "the room", "round": round_["id"]}

    def record(self, kind: str) -> str:
        """Record or claim a payment, or record a charge, and return its ID."""
        return str(self._made(f"/v1/{kind.replace('_', '-')}s", self.to_record(kind))["id"])

    def cosignature(self) -> Document:
        """Cosign the newest checkpoint."""
        newest = str(self._made("/v1/checkpoints", None)["id"])
        return cosignature_of(self.api, newest, CosigningKey.make("friend.example/witness"))

    def webhook(self) -> Document:
        """Choose some kinds of messages."""
        kinds = self.rng.sample(["round.completed", "hand.recorded", "import.ended"], self.rng.randint(1, 3))
        return {"url": f"https://club.example/{self.new_name()}", "kinds": kinds}

    def webhook_to_add(self) -> Document:
        """Make room, because a club may have twenty webhooks only."""
        for listed in self.api.get("/v1/webhooks")["webhooks"]:
            assert self.api.delete(f"/v1/webhooks/{listed['id']}").status == 204
        return self.webhook()

    def add_webhook(self) -> str:
        """Add a webhook in the place of those before."""
        self._webhook_id = str(self._made("/v1/webhooks", self.webhook_to_add())["id"])
        return self._webhook_id

    def send_test(self) -> str:
        """Send a test message to the webhook that was added last."""
        sent = self.api.post(f"/v1/webhooks/{self._webhook_id or self.add_webhook()}/test", None)
        assert sent.status == 202, sent
        return str(sent["id"])

    def start_import(self) -> str:
        """Send a file of one round to import; the same again is the same import, for nobody works on it."""
        sent = post_import(self.api, lines_of(rounds_to_import(1)))
        assert sent.status == 202, sent
        return str(sent["id"])

    def start_recomputation(self) -> str:
        """Ask for an audit of everything, which nobody works on."""
        response = self.api.post("/v1/recomputations", AUDIT)
        assert response.status == 202, response
        return str(response["id"])

    def finish_recomputation(self) -> str:
        """Audit everything."""
        job = self.start_recomputation()
        self.work_on(f"/v1/recomputations/{job}")
        return job

    def propose(self) -> str:
        """Propose a correction of a new round."""
        self.open_round()
        body = self.correction()
        proposed = self.proposer.post(f"/v1/rounds/{self._round_id}/proposals", body)
        # A row that stays the same, or that cannot be so, is not proposed.
        return str(proposed["id"]) if proposed.status == 201 else self.propose()

    def correction(self) -> Document:
        """Amend the round at play: a row of its last hand was another, or the hand was played at another time."""
        if self.rng.random() < 0.5:
            amended: Document = {"reason": "a card was misread", "changes": self.row_changes()}
        else:
            self.play_hand()
            document = self.api.get(f"/v1/rounds/{self._round_id}/document").document
            document["hands"][-1]["played_at"] = f"2026-11-20T20:{self.rng.randrange(60):02}:00Z"
            amended = {"reason": "the clock was wrong", "document": document}
        return {**amended, "version": self.api.get(f"/v1/rounds/{self._round_id}")["version"]}

    def row_changes(self) -> list[Document]:
        """Change a card of the top row of somebody in the last hand to one that nobody was dealt."""
        self.play_hand()
        last = self.api.get(f"/v1/rounds/{self._round_id}/document")["hands"][-1]
        parts = ("top", "middle", "bottom", "discards")
        dealt = {card for player in last["players"] for part in parts for card in player[part] or ()}
        left = [str(card) for card in DECK if str(card) not in dealt]
        changed = self.rng.choice(last["players"])
        top = [*changed["top"][:2], self.rng.choice(left)] if left else changed["top"]
        return [{"hand": last["number"], "seat": changed["seat"], "row": "top", "cards": top}]

    def round_to_open(self, under: ApiResponse) -> Document:
        """Seat as many as the ruleset lets play, with points in front of them."""
        limits = self._ruleset(under)["players"]
        numbers = sorted(self.rng.sample(range(1, 10), self.rng.randint(limits["min"], limits["max"])))
        return {"seats": seats({seat: f"{PLAYERS[i]} {self.rng.randint(5, 400)}" for i, seat in enumerate(numbers)})}

    def next_hand(self, round_: ApiResponse) -> Document:
        """Deal the hand that follows from one shuffled deck: its number, button, players and Fantasyland are right."""
        following, deck = round_["next"], self.rng.sample(DECK, len(DECK))
        variant = self._ruleset(round_)["variant"]
        players = []
        for seat in following["seats"]:
            cards = following["fantasyland"].get(str(seat), 0)
            players.append({"seat": seat, "fantasyland": cards, **self._played(deck, cards_seen(variant, cards))})
        button = following["button"] or self.rng.choice(following["seats"])
        return {"number": following["number"], "button": button, "players": players}

    def departure(self) -> Document:
        """Record a departure after a hand."""
        self.play_hand()
        return {"seat": self.rng.choice(self.playing()["seats"])["seat"]}

    def document(self) -> Document:
        """Write the round at play as a document, for a table that is not there yet."""
        self.play_hand()
        written: Document = self.api.get(f"/v1/rounds/{self._round_id}/document").document
        return {**written, "table": self.new_name()}

    def undo(self) -> Document:
        """Withdraw the hand that was just played."""
        hand = self.api.get(f"/v1/hands/{self.play_hand()}")
        return {"number": hand["number"], "hand": hand["id"]}

    def close_round(self) -> str:
        """End the round at play, so that its settlement can be confirmed."""
        self._closed = self.playing()
        address = f"/v1/rounds/{self._closed['id']}"
        assert self.api.post(f"{address}/close", {"reason": "the room closes"}).status == 200
        return str(self._closed["id"])

    def confirmation(self) -> Document:
        """Confirm the settlement of the round that was closed last."""
        assert self._closed is not None
        return {"seat": self.rng.choice(self._closed["seats"])["seat"]}

    def hand_to_score(self) -> Document:
        """Deal a hand to score, with stacks."""
        ruleset, deck = self.rng.choice(list(self.rulesets.values())), self.rng.sample(DECK, len(DECK))
        number = self.rng.randint(ruleset["players"]["min"], ruleset["players"]["max"])
        dealt = cards_seen(ruleset["variant"], 0)
        players = [
            {"seat": seat, "stack": self.rng.randint(1, 400), **self._played(deck, dealt)}
            for seat in range(1, number + 1)
        ]
        return {"ruleset": ruleset["name"], "button": self.rng.randint(1, number), "players": players}

    def new_name(self) -> str:
        """A name that nothing has."""
        return f"{self.rng.getrandbits(64):016x}"

    def _played(self, deck: list[Card], number: int) -> Document:
        """Take so many cards off the deck, and set thirteen of them."""
        dealt = [deck.pop() for _ in range(number)]
        rows: dict[str, Any] = {row.value: laid for row, laid in set_cards(dealt[:BOARD_SIZE]).rows.items()}
        rows["discards"] = dealt[BOARD_SIZE:]
        return {place: [str(card) for card in cards] for place, cards in rows.items()}

    def _tree_size(self) -> int:
        """Sign the tree, to which a table was added."""
        self.add_table()
        return int(self._made("/v1/checkpoints", None)["size"])

    def _ruleset(self, under: ApiResponse) -> Document:
        return self.rulesets[under["ruleset"].partition("@")[0]]

    def _made(self, path: str, body: Document | None) -> ApiResponse:
        response = self.api.post(path, body)
        assert response.status == 201, response
        return response
