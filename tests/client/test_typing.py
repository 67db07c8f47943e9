"""What a type checker finds in programs that use the Python client."""

import subprocess
import sys
from pathlib import Path

import pytest

VALID = """
from client import Client
from client.requests import HandRequest

def play(ofc: Client, round_id: str, hand: HandRequest) -> None:
    ofc.open_round("id", {"seats": [{"seat": 1, "player": "ann", "stack": 100}], "reference": "1"})
    ofc.record_hand(round_id, {"number": 1, "button": 2, "players": []}, dry_run=True)
    ofc.record_hand(round_id, hand, idempotency_key="1")
    ofc.update_webhook("id", {"state": "disabled"})
    open_ones = [round_.id for round_ in ofc.list_rounds(status="open", from_="2026-11-20T20:15:00Z")]
    print(ofc.get_round(round_id, if_none_match=None).status, open_ones)
"""
MISTAKES = {
    "number": ('"number"', '"nubmer"', 'Extra key "nubmer" for TypedDict "HandRequest"'),
    "a nested field": ('"player"', '"palyer"', '"palyer"'),
    "the type of a field": ('"stack": 100', '"stack": "100"', 'has type "str"'),
    "a value": ('"disabled"', '"off"', "Literal['active', 'disabled']"),
    "a filter": ("status=", "satus=", 'Unexpected keyword argument "satus"'),
    "the value of a filter": ('status="open"', 'status="opened"', "Literal['open', 'complete', 'closed']"),
    "a field of a response": (".status", ".sttaus", 'has no attribute "sttaus"'),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What mypy reports of the valid program and of each mistake, from one run."""
    directory = tmp_path_factory.mktemp("programs")
    programs = {"valid": VALID} | {name: VALID.replace(*mistake[:2]) for name, mistake in MISTAKES.items()}
    files = {f"program_{number}.py": name for number, name in enumerate(programs)}
    for file, name in files.items():
        (directory / file).write_text(programs[name], encoding="utf-8")
    mypy = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        f"--cache-dir={directory}",
    ]
    run = subprocess.run(
        [*mypy, *files],
        cwd=directory,
        env={"MYPYPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    lines = run.stdout.splitlines()
    return {name: "\n".join(line for line in lines if line.startswith(file)) for file, name in files.items()}


def test_a_valid_program_has_no_mistake(reports: dict[str, str]) -> None:
    assert reports["valid"] == ""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_reported(reports: dict[str, str], name: str) -> None:
    assert MISTAKES[name][2] in reports[name]
