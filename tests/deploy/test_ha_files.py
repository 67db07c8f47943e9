"""The files of deploy/ha/: what HAProxy, Patroni and the rig read."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from service.db.commits import LIMIT_SECONDS
from tests.deploy.deploy_files import DEPLOY

HA: Final = DEPLOY / "ha"


@pytest.fixture
def patroni() -> Any:
    return yaml.safe_load((HA / "patroni.yml").read_text(encoding="utf-8"))


def read_haproxy() -> str:
    return (HA / "haproxy.cfg").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="HAProxy is not installed")
def test_haproxy_accepts_its_file(tmp_path: Path) -> None:
    names = ("web1", "web2", "pg1", "pg2", "pg3")
    local = read_haproxy()
    for name in names:
        # No name has an address here.
        local = local.replace(f" {name}:", " 127.0.0.1:")
    file = tmp_path / "haproxy.cfg"
    file.write_text(local, encoding="utf-8")
    done = subprocess.run(["haproxy", "-c", "-f", file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_commit_is_confirmed_by_a_standby(patroni: Any) -> None:
    dcs = patroni["bootstrap"]["dcs"]
    assert (dcs["synchronous_mode"], dcs["synchronous_mode_strict"]) == ("quorum", True)


def test_patroni_can_keep_its_lock_for_a_cycle(patroni: Any) -> None:
    dcs = patroni["bootstrap"]["dcs"]
    assert dcs["loop_wait"] + 2 * dcs["retry_timeout"] <= dcs["ttl"], "the rule of Patroni's manual"


def test_no_password_is_in_the_files() -> None:
    texts = [file.read_text(encoding="utf-8") for file in HA.iterdir()]
    assert not any("password:" in text or "password=" in text for text in texts)


def test_haproxy_waits_longer_than_a_commit() -> None:
    defaults, _, _ = read_haproxy().partition("\nfrontend ")
    [seconds] = re.findall(r"timeout server (\d+)s", defaults)
    assert int(seconds) > 2 * LIMIT_SECONDS


def test_haproxy_closes_sessions_with_a_former_primary_only() -> None:
    frontends, _, primary = read_haproxy().partition("\nlisten primary\n")
    assert "on-marked-down shutdown-sessions" in primary
    # A request in flight would get HAProxy's 503, although its commit can succeed.
    assert "shutdown-sessions" not in frontends
