"""The part of the story with a second auditor, who confirms what changes a final settlement."""

from service.clubs.actions import create_key, set_up_club
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.examples.record_examples import Recorder, read_two_pages
from tests.support.import_lines import club_of


def ask_a_second_auditor(recorder: Recorder, house: House, round_id: str) -> None:
    """Propose corrections of a final settlement, of which another key refuses one and confirms one."""
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, recorder.api))
    club = set_up_club(house.owner, name, second_auditor=True)
    second = Api(house.app, create_key(house.owner, club, name="auditor-2").secret)
    ann = Api(house.app, create_key(house.owner, club, name="ann-phone", player="ann").secret)
    first, in_round = recorder.api, {"round_id": round_id}
    version = recorder.call("get_round", in_round)["version"]
    queens = [{"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "Qd", "4c"]}]
    about = {"reason": "the video shows both queens", "version": version, "irregular": "accept", "changes": queens}
    recorder.refuse("second-auditor-required", "correct_round", in_round, about)
    doubted = recorder.record("propose_correction", in_round, {**about, "reason": "ann says so"})
    recorder.refuse("proposal-refused", "propose_correction", in_round, about)
    recorder.api = second
    recorder.record("withdraw_proposal", {"proposal_id": str(doubted["id"])}, {"reason": "who has seen it?"})
    recorder.api = first
    one = {"proposal_id": str(recorder.record("propose_correction", in_round, about)["id"])}
    recorder.call("get_proposal", one)
    read_two_pages(recorder, "list_proposals", {"round": round_id})
    recorder.call("list_proposals", {"state": "waiting"})
    recorder.refuse("not-second-auditor", "confirm_proposal", one)
    recorder.refuse("own-round", "confirm_proposal", one, api=ann)
    recorder.api = second
    recorder.record("confirm_proposal", one, None)
    recorder.api = first
    propose_too_late(recorder, house, name, round_id, second)
    propose_to_apply(recorder)


def propose_too_late(recorder: Recorder, house: House, name: str, round_id: str, second: Api) -> None:
    """Propose a correction of a round that is corrected otherwise before it is confirmed."""
    in_round = {"round_id": round_id}
    version = recorder.call("get_round", in_round)["version"]
    three = [{"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "3d", "4c"]}]
    about = {"reason": "it was the three", "version": version, "irregular": "accept", "changes": three}
    proposed = recorder.call("propose_correction", in_round, about)
    set_up_club(house.owner, name, second_auditor=False)
    recorder.call("correct_round", in_round, {**about, "reason": "it was the three after all"})
    set_up_club(house.owner, name, second_auditor=True)
    recorder.refuse("proposal-changed", "confirm_proposal", {"proposal_id": str(proposed["id"])}, api=second)


def propose_to_apply(recorder: Recorder) -> None:
    """Propose to apply an audit, with the rounds whose settlement is final."""
    [audit] = recorder.api.get("/v1/recomputations?state=succeeded")["recomputations"]
    recorder.record("propose_recomputation", {"recomputation_id": audit["id"]}, {"reason": "these are the rules"})
