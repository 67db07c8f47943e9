"""Number of errors reported for documents with many errors."""

from typing import Any

import pytest

from schemas.base import WireError, WireSchema, load
from schemas.corrections.patches import PatchOperationSchema
from schemas.corrections.requests import CorrectionRequestSchema
from schemas.disputes import DisputeRequestSchema, DisputeResolutionRequestSchema
from schemas.documents import RoundDocumentRequestSchema
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
        (RoundDocumentRequestSchema(), lambda hands: {"hands": hands}),
        (CorrectionRequestSchema(), lambda hands: {"document": {"hands": hands}}),
    ],
    ids=["document", "correction"],
)
def test_no_more_errors_are_searched_for_than_are_reported(schema: WireSchema, document: Any, hands: Any) -> None:
    with pytest.raises(WireError) as refused:
        load(schema, document(hands))
    assert 200 <= len(refused.value.mistakes) < FEW


PERIOD = {"from": "2026-11-23T00:00:00Z", "to": "2026-11-22T00:00:00Z"}


@pytest.mark.parametrize(
    ("schema", "received", "mistakes"),
    [
        (TableRequestSchema, {"ruleset": "pineapple", "point_value": 5}, {"name", "unit"}),
        (
            TableRequestSchema,
            {"name": "den", "ruleset": "pineapple", "point_value": 5, "chairs": 4},
            {"chairs", "unit"},
        ),
        (
            TableRequestSchema,
            {"name": "", "ruleset": "pineapple", "point_value": 5, "unit": "€"},
            {"name", "unit"},
        ),
        (
            RoundDocumentRequestSchema,
            {"ruleset": "", "table": "den", "seats": [], "hands": [], "point_value": 1},
            {"ruleset", "seats", "unit"},
        ),
        (RoundQuerySchema, {**PERIOD, "limit": "0"}, {"limit", "from"}),
        (RoundQuerySchema, {**PERIOD, "to": "later"}, {"to"}),
        (PatchOperationSchema, {"op": "add", "path": 7}, {"path", "value"}),
        (PatchOperationSchema, {"op": "move", "path": "/hands", "from": 7}, {"from"}),
        (PatchOperationSchema, {"op": "turn", "path": 7}, {"op", "path"}),
        (DisputeRequestSchema, {"row": "top", "claim": "it was a three", "by": "ann"}, {"round", "hand"}),
        (DisputeRequestSchema, {"row": "top", "hand": 0, "claim": "it was a three"}, {"round", "hand", "by"}),
        (DisputeResolutionRequestSchema, {"state": "rejected"}, {"version", "by", "reason"}),
        (DisputeResolutionRequestSchema, {"state": "rejected", "version": 1, "by": "ann", "reason": ""}, {"reason"}),
    ],
)
def test_errors_between_fields_are_reported_with_errors_in_fields(
    schema: type[WireSchema], received: dict[str, Any], mistakes: set[str]
) -> None:
    with pytest.raises(WireError) as refused:
        load(schema(), received)
    places = [mistake.path for mistake in refused.value.mistakes]
    assert sorted(str(place) for (place,) in places) == sorted(mistakes)
