"""The tree over events: the same hashes and proofs as RFC 6962's own words give."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import (
    EMPTY_ROOT,
    Edge,
    EvidenceError,
    Place,
    consistency_ranges,
    hash_leaf,
    hashes_of,
    inclusion_ranges,
    places_of,
    verify_consistency,
    verify_inclusion,
)
from tests.evidence import naive

# The leaves and roots that Certificate Transparency's implementations test themselves with.
LEAVES = [bytes.fromhex(leaf) for leaf in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
LEAVES.append(bytes.fromhex("606162636465666768696a6b6c6d6e6f"))
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
SIZES = st.integers(1, 70)


def leaves_of(size: int) -> list[bytes]:
    return [b"event %d" % number for number in range(size)]


def grown(leaves: Sequence[bytes]) -> tuple[Edge, dict[Place, bytes]]:
    """A tree grown leaf by leaf, with every full subtree that came up on the way."""
    edge = Edge()
    return edge, {place: node for leaf in leaves for place, node in edge.append(hash_leaf(leaf))}


@pytest.mark.parametrize("size", range(9))
def test_the_roots_are_those_of_certificate_transparency(size: int) -> None:
    assert grown(LEAVES[:size])[0].root.hex() == ROOTS[size]


@given(size=st.integers(0, 200))
def test_a_grown_tree_has_the_root_of_its_definition(size: int) -> None:
    edge, nodes = grown(leaves_of(size))
    assert (edge.size, edge.root) == (size, naive.mth(leaves_of(size)))
    assert all(
        node == naive.mth(leaves_of(size)[position << level : (position + 1) << level])
        for (level, position), node in nodes.items()
    )


@given(size=st.integers(0, 70), more=st.integers(0, 70))
def test_a_tree_grows_on_from_its_right_edge_alone(size: int, more: int) -> None:
    whole = leaves_of(size + more)
    _, nodes = grown(whole[:size])
    edge = Edge(size, [nodes[place] for place in places_of([(0, size)])])
    for leaf in whole[size:]:
        assert dict(edge.append(hash_leaf(leaf)))
    assert edge.root == naive.mth(whole)


def test_an_edge_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="a tree of 3 leaves has 2 full subtrees, not 1"):
        Edge(3, [EMPTY_ROOT])


@given(size=SIZES, place=st.integers(0))
def test_a_leaf_is_proved_by_the_path_of_the_definition(size: int, place: int) -> None:
    leaves, position = leaves_of(size), place % size
    edge, nodes = grown(leaves)
    proof = hashes_of(inclusion_ranges(position, size), nodes)
    assert proof == naive.path(position, leaves)
    verify_inclusion(hash_leaf(leaves[position]), position, size, proof, edge.root)


@given(old=st.integers(0, 70), more=st.integers(0, 70))
def test_a_grown_tree_is_proved_by_the_definition(old: int, more: int) -> None:
    leaves = leaves_of(old + more)
    _, nodes = grown(leaves)
    proof = hashes_of(consistency_ranges(old, len(leaves)), nodes)
    assert proof == (naive.proof(old, leaves) if old else [])
    verify_consistency(old, len(leaves), proof, naive.mth(leaves[:old]), naive.mth(leaves))


@given(size=SIZES, place=st.integers(0), other=st.integers(0), spoilt=st.integers(0))
def test_no_other_leaf_place_or_path_proves_a_leaf(size: int, place: int, other: int, spoilt: int) -> None:
    leaves, position = leaves_of(size), place % size
    root, proof = naive.mth(leaves), naive.path(position, leaves)
    leaf = hash_leaf(leaves[position])
    wrong = [(hash_leaf(b"another"), position, proof)]
    if other % size != position:
        wrong.append((leaf, other % size, proof))
    if proof:
        index = spoilt % len(proof)
        wrong += [(leaf, position, proof[:-1]), (leaf, position, [*proof[:index], leaf, *proof[index + 1 :]])]
    for leaf, position, path in wrong:
        with pytest.raises(EvidenceError):
            verify_inclusion(leaf, position, size, path, root)


@given(old=SIZES, more=SIZES, changed=st.integers(0), spoilt=st.integers(0))
def test_a_tree_whose_past_was_changed_is_not_proved_to_have_grown(
    old: int, more: int, changed: int, spoilt: int
) -> None:
    leaves = leaves_of(old + more)
    before, proof = naive.mth(leaves[:old]), naive.proof(old, leaves)
    forged = list(leaves)
    forged[changed % old] = b"another"
    index = spoilt % len(proof)
    for path, root in (
        (proof, naive.mth(forged)),
        (naive.proof(old, forged), naive.mth(forged)),
        (proof[:-1], naive.mth(leaves)),
        ([*proof[:index], before, *proof[index + 1 :]], naive.mth(leaves)),
    ):
        with pytest.raises(EvidenceError):
            verify_consistency(old, len(leaves), path, before, root)


def test_impossible_leaves_are_not_searched_for() -> None:
    with pytest.raises(EvidenceError, match="a tree of 3 leaves has no position 3"):
        inclusion_ranges(3, 3)
    with pytest.raises(EvidenceError, match="expected the smaller size first"):
        consistency_ranges(4, 3)
    with pytest.raises(EvidenceError, match="leads to the root"):
        verify_consistency(0, 0, [], EMPTY_ROOT, hash_leaf(b""))
