"""How much is found in what is wrong all through."""

from typing import Any

import pytest

from schemas.base import WireError, WireSchema, load
from schemas.corrections import CorrectionRequestSchema
from schemas.documents import DocumentRequestSchema

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
