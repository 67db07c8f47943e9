"""The map of rounds, held against a naive one that hashes every subtree by its definition."""

from collections.abc import Collection, Mapping
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import (
    EvidenceError,
    MapEntry,
    Tile,
    key_of,
    prove_entry,
    read_tile,
    root_of,
    update_map,
    verify_entry,
    write_tile,
)
from tests.evidence import naive

EMPTY = bytes(32)


class Map:
    """A map whose tiles are stored as they are written."""

    def __init__(self) -> None:
        self.written: dict[str, bytes] = {}

    def enter(self, entries: Collection[MapEntry]) -> None:
        changed = update_map(entries, self.read)
        self.written |= {prefix: write_tile(tile) for prefix, tile in changed.items()}

    def read(self, prefixes: Collection[str]) -> Mapping[str, Tile]:
        return {prefix: read_tile(self.written[prefix]) for prefix in prefixes if prefix in self.written}

    @property
    def root(self) -> bytes:
        return root_of(self.read([""]).get("", {}))

    def prove(self, round_id: UUID) -> tuple[MapEntry, tuple[bytes, ...]] | None:
        key = key_of(round_id)
        return prove_entry(round_id, self.read([key[:depth] for depth in range(64)]))


def made_of(count: int, seed: int = 1) -> tuple[Map, dict[UUID, tuple[int, bytes]]]:
    random = Random(seed)
    rounds = {UUID(int=random.getrandbits(128)): (random.randint(1, 9), random.randbytes(32)) for _ in range(count)}
    round_map = Map()
    round_map.enter([MapEntry.of(round_id, *newest) for round_id, newest in rounds.items()])
    return round_map, rounds


ENTRIES = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6)), max_size=60)


@given(st.lists(ENTRIES, max_size=6))
def test_in_whatever_portions_events_are_entered_the_root_is_that_of_the_newest(
    portions: list[list[tuple[int, int]]],
) -> None:
    round_map, newest = Map(), dict[UUID, tuple[int, bytes]]()
    for portion in portions:
        entries = {UUID(int=number): (sequence, bytes([sequence]) * 32) for number, sequence in portion}
        round_map.enter([MapEntry.of(round_id, *entry) for round_id, entry in entries.items()])
        newest |= {
            round_id: entry for round_id, entry in entries.items() if entry[0] > newest.get(round_id, (0, b""))[0]
        }
        assert round_map.root == naive.map_root(newest)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 16, 17, 500])
def test_every_entry_is_proved_and_nothing_else(count: int) -> None:
    round_map, rounds = made_of(count)
    assert round_map.root == naive.map_root(rounds)
    for round_id, (sequence, event) in rounds.items():
        pair = round_map.prove(round_id)
        assert pair is not None
        entry, proof = pair
        assert entry == MapEntry.of(round_id, sequence, event)
        verify_entry(entry, proof, round_map.root)
        others = [
            MapEntry.of(round_id, sequence - 1, event),
            MapEntry.of(round_id, sequence, bytes(32)),
            MapEntry.of(UUID(int=1), sequence, event),
        ]
        for other in others:
            with pytest.raises(EvidenceError, match="the proof leads to the root"):
                verify_entry(other, proof, round_map.root)
    assert round_map.prove(UUID(int=1)) is None


def test_a_proof_with_a_hash_changed_left_out_or_put_in_fails() -> None:
    round_map, rounds = made_of(50)
    for round_id in list(rounds)[:10]:
        pair = round_map.prove(round_id)
        assert pair is not None
        entry, proof = pair
        wrong = [proof[:-1], proof[1:], (*proof, EMPTY), (EMPTY, *proof), proof[::-1]]
        wrong += [
            (*proof[:place], bytes(32), *proof[place + 1 :]) for place in range(len(proof)) if proof[place] != EMPTY
        ]
        for other in wrong:
            with pytest.raises(EvidenceError):
                verify_entry(entry, other, round_map.root)
    with pytest.raises(EvidenceError, match="expected at most 256"):
        verify_entry(entry, (EMPTY,) * 257, round_map.root)


def test_a_proof_has_about_as_many_hashes_as_the_number_of_rounds_has_binary_digits() -> None:
    round_map, rounds = made_of(2000)
    lengths = [len(proof) for round_id in rounds if (pair := round_map.prove(round_id)) for proof in [pair[1]]]
    assert len(lengths) == 2000
    assert 11 <= sum(lengths) / len(lengths) <= 14
    assert max(lengths) <= 30


def test_an_invalid_tile_is_refused() -> None:
    written = write_tile({"a": MapEntry.of(UUID(int=1), 3, bytes(32)), "b": bytes(32)})
    assert len(written) == 4 + 72 + 32
    for wrong in (b"", written[:-1], written + b"\x00", written[:3]):
        with pytest.raises(ValueError, match="a tile"):
            read_tile(wrong)
