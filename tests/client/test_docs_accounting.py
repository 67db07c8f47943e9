"""The commands of docs/accounting.md print what the page says, in a club in which nothing else is played."""

import re
import shlex
from pathlib import Path

from client.api import Client
from tests.support.client.docs_sessions import as_pattern, sessions, shown
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import THREE, document_of, hand
from tests.support.server_process import Running, make_key


def play(client: Client, table: str) -> None:
    client.play_document(
        document_of(
            table=table,
            sitting={1: "ann 100", 2: "bob 100", 3: "cyd 4"},
            hands=[hand(1, 1, THREE, played_at="2026-11-20T20:15:00Z")],
            closed={"after_hand": 1, "reason": "midnight"},
            reference="1",
            point_value=10,
            unit="EUR",
        )
    )


def test_the_commands_print_what_the_page_shows(service: Running, tmp_path: Path) -> None:
    key = make_key(service.directory, "accounting")
    key_file = tmp_path / "api-key"
    key_file.write_text(key)
    with Client(service.url, key) as client:
        play(client, "friday")
    played = list(sessions("accounting.md"))
    for typed in played:
        _ofc, *arguments = shlex.split(typed.command)
        result = ofc(*arguments, OFC_URL=service.url, OFC_API_KEY_FILE=str(key_file))
        assert re.fullmatch(as_pattern(typed.lines), shown(result.out)), f"{typed.command}\n{result}"
        assert (result.code, result.err) == (0, "")
    assert len(played) == 9
