"""The part of the story with checkpoints, evidence and events."""

from service.app import create_app
from service.config import Config
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.examples.cosignatures import FRIEND, cosignature_of
from tests.support.examples.record_examples import Recorder, read_two_pages


def sign_what_happened(recorder: Recorder, house: House, round_id: str) -> None:
    """A checkpoint, something more that happens, another checkpoint, and what can be checked then."""
    first = recorder.call("make_checkpoint")
    recorder.call("name_player", {"player": "ann"}, {"display_name": "Ann of the hill"})
    second = recorder.call("make_checkpoint")
    recorder.call("add_cosignature", {"address": first["id"]}, cosignature_of(recorder.api, first["id"], FRIEND))
    read_two_pages(recorder, "list_checkpoints")
    recorder.call("prove_consistency", {"from": first["size"], "to": second["size"]})
    recorder.call("prove_inclusion", {"position": 2, "size": second["size"]})
    recorder.read("get_checkpoint", second.headers["Location"], "")
    recorder.call("list_checkpoint_keys")
    recorder.call("get_evidence", {"round_id": round_id, "since": first["size"]})
    recorder.cut("get_evidence", "events", 2)
    listen_to_events(recorder, house, round_id)
    keyless = create_app(Config(house.logins.service))
    recorder.refuse("signing-key-missing", "make_checkpoint", api=Api(keyless, recorder.api.key))
    services_of(keyless).database.close()


def listen_to_events(recorder: Recorder, house: House, round_id: str) -> None:
    """A hand as the feed has it."""
    table = str(recorder.api.get(f"/v1/rounds/{round_id}")["table"])
    parameters = {"kind": "hand.recorded", "table": table, "round": round_id, "limit": 1, "wait": 1, "after": 0}
    recorder.call("list_events", parameters)
