"""`ofc-server up --lan`: the service in the local network."""

import re
from pathlib import Path

import httpx2
import pytest
import segno

from service.server.address import UpError, draw_code, find_lan_host
from tests.support.server_process import Running, command

try:
    HOST = find_lan_host()
except UpError:
    HOST = ""
needs_network = pytest.mark.skipif(not HOST, reason="this machine has no address in a network")


@needs_network
def test_the_service_is_reached_in_the_network_and_shows_its_address(tmp_path: Path) -> None:
    directory = tmp_path / "ofc"
    service = Running(directory, options=["--lan"])
    try:
        port = service.url.rpartition(":")[2]
        address = f"http://{HOST}:{port}"
        assert "without https, they can also read keys and links that are sent." in service.output
        assert f"Console, to sign in once within 10 minutes: {address}/console/sign-in/" in service.output
        [phone] = re.findall(
            rf"one phone, once within 10 minutes: ({re.escape(address)}/scorekeeper/#\S+)", service.output
        )
        assert f"{phone}\n{draw_code(phone)}\n" in service.output
        # What started the service starts it with the certificate.
        started = f"ofc-server up --port 0 --data {directory} --lan"
        certificate = f"mkcert -cert-file game.pem -key-file game.key {HOST}"
        assert "Phones keep score without a network only over HTTPS" in service.output
        assert f"\n{certificate} && {started} --tls-cert game.pem --tls-key game.key\n" in service.output
        assert httpx2.get(f"{address}/healthz", timeout=60, trust_env=False, verify=False).status_code == 200
        key = (directory / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as http:
            table = http.post("/v1/tables", json={"name": "friday", "ruleset": "pineapple"}).json()["id"]
            issued = http.post("/v1/links", json={"table": table}).json()
        assert issued["url"].startswith(f"{address}/links/ofc_link_")
        assert [each["code"] for each in issued["warnings"]] == ["link-readable"]
    finally:
        service.close()


def test_a_host_and_the_network_are_not_both_accepted() -> None:
    refused = command("up", "--lan", "--host", "127.0.0.1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--lan and --host were given; expected one of them" in refused.stderr


def test_the_code_is_that_of_the_address() -> None:
    drawn = draw_code("http://192.168.1.20:8000").splitlines()
    rows = list(segno.make("http://192.168.1.20:8000", error="l", micro=False).matrix_iter(border=2))
    assert [len(line) for line in drawn] == [len(rows[0])] * -(-len(rows) // 2)
    shapes = {(1, 1): " ", (1, 0): "▄", (0, 1): "▀", (0, 0): "█"}
    pairs = [*zip(rows[::2], rows[1::2], strict=False)]
    assert drawn[: len(pairs)] == ["".join(shapes[each] for each in zip(*two, strict=True)) for two in pairs]
