"""The part of the story with requests that the service refuses, or cannot process."""

import socket
from contextlib import ExitStack

from uuid_utils.compat import uuid7

from service.app import create_app
from service.clubs.actions import create_club, create_key
from service.clubs.scopes import KeyScope
from service.config import Config, ImportLimits
from service.http.request_body import NDJSON
from service.http.services import services_of
from service.http.streams import MOST_STREAMS, count_stream
from service.rounds.views.hands import MOST_BATCHES, batch_place
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.broken_connection import breaking_line_to_database
from tests.support.database.postgres import Logins
from tests.support.examples.record_examples import Recorder
from tests.support.sample_rounds import (
    WORKED,
    changed,
)

PINEAPPLE = "pineapple"
TOO_LARGE = 1024 * 1024 + 1


def send_what_cannot_be_read(recorder: Recorder) -> None:
    """Bodies, headers and methods that the service cannot take."""
    as_json = {"Content-Type": "application/json"}
    recorder.refuse("json-invalid", "score_hand", data=b'{"ruleset": "pineapple", "ruleset": "turbo"}', headers=as_json)
    recorder.refuse("body-too-large", "score_hand", data=b" " * TOO_LARGE, headers=as_json)
    recorder.refuse("media-type-unsupported", "score_hand", data=b"As Kd Qc", headers={"Content-Type": "text/plain"})
    announced = {"CONTENT_LENGTH": "800"}
    half = b'{"ruleset": "pineap'
    recorder.refuse("request-incomplete", "score_hand", data=half, headers=as_json, environ_overrides=announced)
    wrong = changed(WORKED, ("players/0/top/0", "Qx"), ("players/1/stack", -1))
    recorder.refuse("request-invalid", "score_hand", {}, wrong)
    recorder.refuse("not-acceptable", "list_rulesets", headers={"Accept": "text/html"})


def import_too_much(recorder: Recorder, house: House) -> None:
    """Imports that are larger, or more, than a service allows that was configured for few."""
    for code, limits in (
        ("import-too-large", ImportLimits(lines=1)),
        ("import-quota-exceeded", ImportLimits(under_way=0)),
    ):
        app = create_app(Config(house.logins.service, imports=limits))
        small = Api(app, recorder.api.key)
        headers = {"Content-Type": "application/x-ndjson"}
        recorder.refuse(code, "start_import", data=b"{}\n{}\n", headers=headers, api=small)
        services_of(app).database.close()


def come_without_the_right_key(recorder: Recorder, house: House) -> None:
    """The responses to an invalid, an unknown and a read-only key."""
    table = {"name": "cellar", "ruleset": PINEAPPLE}
    recorder.refuse("key-missing", "list_tables", api=Api(house.app, None))
    recorder.refuse("key-unknown", "list_tables", api=Api(house.app, "ofc_nobodys"))
    club = create_club(house.owner, f"club {uuid7()}")
    reading = create_key(house.owner, club, name="scoreboard", scopes=[KeyScope.READ])
    limited = create_app(Config(house.logins.service, rate_limit=1))
    hasty = Api(limited, create_key(house.owner, club, name="hasty").secret)
    while hasty.get("/v1/tables").status != 429:
        pass
    recorder.refuse("rate-limited", "list_tables", api=hasty)
    services_of(limited).database.close()
    with ExitStack() as others:
        for _ in range(MOST_STREAMS):
            count_stream(others)
        recorder.refuse("exports-busy", "export_rounds")
        for _ in range(MOST_BATCHES):
            others.enter_context(batch_place(uuid7()))
        recorder.refuse("batches-busy", "record_hands", data=b"{}", headers={"Content-Type": NDJSON})
    recorder.refuse("scope-missing", "add_table", {}, table, api=Api(house.app, reading.secret))


def call_without_a_database(recorder: Recorder, bare: Logins) -> None:
    """Requests to a service whose database does not respond, or needs a migration."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        nowhere = f"postgresql://ofc@127.0.0.1:{free.getsockname()[1]}/ofc"
    for code, url in (("database-unavailable", nowhere), ("database-behind", bare.owner)):
        app = create_app(Config(url))
        recorder.refuse(code, "check_readiness", api=Api(app, None))
        services_of(app).database.close()


def lose_the_line(recorder: Recorder, house: House) -> None:
    """The response of a service whose database never confirmed the commit."""
    club = create_club(house.owner, f"club {uuid7()}")
    key = create_key(house.owner, club, name="first").secret
    with breaking_line_to_database(house.logins.service) as (line, through):
        app = create_app(Config(through))
        api = Api(app, key)
        api.get("/v1/tables")
        line.break_after(b"COMMIT\0")
        recorder.refuse("outcome-unknown", "add_table", {}, {"name": "cellar", "ruleset": PINEAPPLE}, api=api)
        services_of(app).database.close()
