"""deploy/Containerfile builds an image that runs as another user than root, and knows whether it works."""

import json
import re
from pathlib import Path

import pytest

from deploy import healthcheck
from tests.deploy.deploy_files import DEPLOY

TEXT = (DEPLOY / "Containerfile").read_text(encoding="utf-8")


def test_the_base_is_pinned_and_can_be_replaced() -> None:
    assert re.search(r"^ARG BASE=\S+:\d+\.\d+\.\d+-\S+$", TEXT, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE) == ["${BASE}", "${BASE}"]


def test_the_user_is_not_root_and_nothing_is_downloaded() -> None:
    assert re.findall(r"^USER (.*)$", TEXT, re.MULTILINE) == ["10001:10001"]
    assert "--no-index" in TEXT
    assert not re.search(r"curl|wget|https?:", TEXT)


def test_the_health_check_is_a_command_of_the_image() -> None:
    (command,) = re.findall(r"^HEALTHCHECK .* CMD (\[.*\])$", TEXT, re.MULTILINE)
    assert json.loads(command) == ["python3", "/opt/tablestakes/healthcheck.py"]
    assert "healthcheck.py sbom.cdx.json /opt/tablestakes/\n" in TEXT


@pytest.mark.parametrize(
    ("commands", "code"),
    [
        ([], 1),
        ([b"python\0-m\0service.worker\0jobs\0"], 1),
        ([b"python\0-m\0service.worker\0jobs\0", b"python\0-m\0service.worker\0others\0"], 0),
    ],
    ids=["nothing", "only jobs", "whole"],
)
def test_a_worker_works_with_its_process_for_periodic_tasks(
    commands: list[bytes], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(healthcheck, "list_commands", lambda: commands)
    assert healthcheck.main() == code


def test_a_web_server_that_does_not_respond_is_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(healthcheck, "list_commands", lambda: [b"python\0-m\0service.server.web\0service.wsgi:app\0"])
    monkeypatch.setenv("OFC_PORT", "1")  # where nothing listens
    with pytest.raises(OSError, match="refused"):
        healthcheck.main()


def test_the_commands_of_processes_are_found() -> None:
    own = Path("/proc/self/cmdline")
    if not own.exists():
        pytest.skip("only Linux has /proc")
    assert own.read_bytes() in healthcheck.list_commands()
