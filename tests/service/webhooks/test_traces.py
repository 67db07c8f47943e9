"""W3C traces: from a request to its log line, its job, and the messages that follow from it."""

from uuid import UUID

import pytest

from service.trace_context import Trace
from tests.support.import_lines import club_of, database_of
from tests.support.log_capture import Log
from tests.support.process_jobs import work_on_job
from tests.support.sample_rounds import THREE, dealt_again, hand, start_round
from tests.support.webhook_receiver import Receiver, Sending
from tests.support.worker_process import lines_of, post_import, rounds_to_import

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
SENT = {"traceparent": f"00-{TRACE}-{SPAN}-01"}


@pytest.mark.parametrize(
    ("header", "is_valid"),
    [
        (f"00-{TRACE}-{SPAN}-01", True),
        (f"00-{TRACE}-{SPAN}-00", True),
        (f"cc-{TRACE}-{SPAN}-01", True),
        (f"cc-{TRACE}-{SPAN}-01-what-is-next", True),
        (f"00-{TRACE}-{SPAN}-01-what-is-next", False),
        (f"cc-{TRACE}-{SPAN}-01.what-is-next", False),
        (f"ff-{TRACE}-{SPAN}-01", False),
        (f"00-{TRACE.upper()}-{SPAN}-01", False),
        (f"00-{'0' * 32}-{SPAN}-01", False),
        (f"00-{TRACE}-{'0' * 16}-01", False),
        (f"00-{TRACE}-{SPAN}-1", False),
        (f"00-{TRACE}-{SPAN}-01\n", False),
        (f"00-{TRACE}-{SPAN}-01,00-{TRACE}-{SPAN}-01", False),
        (f"cc-{TRACE}-{SPAN}-01-{'x' * 500}", False),
        ("", False),
        (None, False),
    ],
)
def test_headers_are_parsed_as_the_recommendation_requires(header: str | None, is_valid: bool) -> None:
    trace = Trace.parse(header)
    assert (trace is not None) == is_valid
    if trace is not None:
        part = trace.begin_part()
        assert (part.trace_id, part.is_sampled) == (TRACE, header != f"00-{TRACE}-{SPAN}-00")
        assert Trace.parse(part.header) == part
        assert part.span_id != SPAN


def test_messages_of_a_request_belong_to_its_trace(club: Sending, receiver: Receiver, log: Log) -> None:
    round_id = start_round(club.api)
    path = f"/v1/rounds/{round_id}/hands"
    assert club.api.request("POST", path, json=hand(1, 3, THREE), headers=SENT).status == 201
    assert (
        club.api.request("POST", path, json=dealt_again(hand(2, 1, THREE)), headers={"traceparent": "garbage"}).status
        == 201
    )
    assert club.api.post(path, dealt_again(hand(3, 2, THREE))).status == 201
    traced, *others = [event for event in log.events if event["event"] == "request" and event["status"] == 201][-3:]
    assert traced["trace_id"] == TRACE
    assert not any("trace_id" in event or "span_id" in event for event in others)
    club.deliver()
    sent = [each.headers.get("traceparent") for each in receiver.received if each.message["type"] == "hand.recorded"]
    assert len(sent) == 3
    assert sent[1:] == [None, None]
    message = Trace.parse(sent[0])
    assert message is not None
    assert message.trace_id == TRACE
    assert message.span_id not in (SPAN, traced["span_id"])


def test_a_job_and_its_message_belong_to_the_trace_of_its_request(club: Sending, receiver: Receiver, log: Log) -> None:
    sent = post_import(club.api, lines_of(rounds_to_import(1)), **SENT)
    assert sent.status == 202
    work_on_job(database_of(club.house), club_of(club.house, club.api), UUID(sent["id"]))
    lines = {event["event"]: event for event in log.events}
    assert [lines[name].get("trace_id") for name in ("request", "job_planned", "job_ended")] == [TRACE] * 3
    club.deliver()
    [ended] = [each for each in receiver.received if each.message["type"] == "import.ended"]
    assert ended.headers["traceparent"].startswith(f"00-{TRACE}-")
