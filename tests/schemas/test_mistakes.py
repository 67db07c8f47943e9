"""How much is found in what is wrong all through."""

from typing import Any

import pytest

from schemas.base import WireError, WireSchema, load
from schemas.corrections import CorrectionRequestSchema
from schemas.disputes import DisputeRequestSchema, ResolutionRequestSchema
from schemas.documents import DocumentRequestSchema
from schemas.patches import ChangeSchema
from schemas.rounds import RoundQuerySchema
from schemas.tables import TableRequestSchema

FEW = 2_000
HANDS = [{f"field{number}": 1 for number in range(20)}] * 5_000
PLAYERS = [{"players": [{f"field{number}": 1 for number in range(5)}] * 6}] * 2_500
ROWS = [{"players": [{"top": ["Zx"] * 3, "middle": ["Zx"] * 5, "bottom": ["Zx"] * 5}] * 6}] * 1_600


@pytest.mark.parametrize("hands", [HANDS, PLAYERS, ROWS], ids=["hands", "players", "cards"])
@pytest.mark.parametrize(
    ("schema", "document"),
    [
        (DocumentRequestSchema(), lambda hands: {"hands": hands}),
        (CorrectionRequestSchema(), lambda hands: {"document": {"hands": hands}}),
    ],
    ids=["document", "correction"],
)
def test_not_more_is_looked_for_than_anybody_reads(schema: WireSchema, document: Any, hands: Any) -> None:
    with pytest.raises(WireError) as refused:
        load(schema, document(hands))
    assert 200 <= len(refused.value.mistakes) < FEW


PERIOD = {"from": "2026-11-23T00:00:00Z", "to": "2026-11-22T00:00:00Z"}


@pytest.mark.parametrize(
    ("schema", "received", "mistakes"),
    [
        (TableRequestSchema, {"ruleset": "pineapple", "point_value": 5}, {"name", "currency"}),
        (
            TableRequestSchema,
            {"name": "den", "ruleset": "pineapple", "point_value": 5, "chairs": 4},
            {"chairs", "currency"},
        ),
        (
            TableRequestSchema,
            {"name": "", "ruleset": "pineapple", "point_value": 5, "currency": "eur"},
            {"name", "currency"},
        ),
        (
            DocumentRequestSchema,
            {"ruleset": "", "table": "den", "seats": [], "hands": [], "point_value": 1},
            {"ruleset", "seats", "currency"},
        ),
        (RoundQuerySchema, {**PERIOD, "limit": "0"}, {"limit", "from"}),
        (RoundQuerySchema, {**PERIOD, "to": "later"}, {"to"}),
        (ChangeSchema, {"op": "add", "path": 7}, {"path", "value"}),
        (ChangeSchema, {"op": "move", "path": "/hands", "from": 7}, {"from"}),
        (ChangeSchema, {"op": "turn", "path": 7}, {"op", "path"}),
        (DisputeRequestSchema, {"row": "top", "claim": "it was a three", "by": "ann"}, {"round", "hand"}),
        (DisputeRequestSchema, {"row": "top", "hand": 0, "claim": "it was a three"}, {"round", "hand", "by"}),
        (ResolutionRequestSchema, {"state": "rejected"}, {"version", "by", "reason"}),
        (ResolutionRequestSchema, {"state": "rejected", "version": 1, "by": "ann", "reason": ""}, {"reason"}),
    ],
)
def test_what_is_wrong_between_fields_is_named_with_what_is_wrong_in_them(
    schema: type[WireSchema], received: dict[str, Any], mistakes: set[str]
) -> None:
    with pytest.raises(WireError) as refused:
        load(schema(), received)
    places = [mistake.path for mistake in refused.value.mistakes]
    assert sorted(str(place) for (place,) in places) == sorted(mistakes)
