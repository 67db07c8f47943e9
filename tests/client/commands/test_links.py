"""Addresses that show a round to its players, made and revoked with `ofc`."""

from pathlib import Path

import httpx2

from tests.support.client.run_ofc import ofc, read_example, write


def test_an_address_shows_the_round_until_it_is_revoked(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    assert ofc("post", write(tmp_path, {**read_example("turbo"), "table": table}), **reached).code == 0
    address, other = (ofc("round", "link", table, "--days", days, **reached).text for days in ("1", "2"))
    assert httpx2.get(address, timeout=60, trust_env=False, verify=False).status_code == 200
    # As a player has it open who looks at a hand.
    revoked = ofc("round", "revoke-link", f"{address}/hands/1?x#top", **reached)
    assert (revoked.code, revoked.text, revoked.err) == (0, "the link is revoked", "")
    assert httpx2.get(address, timeout=60, trust_env=False, verify=False).status_code == 410
    assert httpx2.get(other, timeout=60, trust_env=False, verify=False).status_code == 200


def test_an_invalid_link_address_is_reported(reached: dict[str, str]) -> None:
    result = ofc("round", "revoke-link", "friday", **reached)
    assert (result.code, result.out) == (2, "")
    assert "'friday' is not the address of a link; expected one that contains /v1/links/" in result.err
    unknown = ofc("round", "revoke-link", f"http://127.0.0.1/v1/links/{'A' * 96}", **reached)
    assert (unknown.code, unknown.out) == (1, "")
    assert "the link is not one of this club, or all links of the club were revoked after it was created" in unknown.err
