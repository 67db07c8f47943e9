"""
The story behind the examples of the contract: one evening, from the first table to the last statement.

`python -m tests.support.story` writes the examples; its parts are in `tests/support/examples/`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from service.examples import FOLDER, PROBLEMS
from tests.support.api_client import Document
from tests.support.application import House, open_house
from tests.support.database.postgres import Logins, Server, embedded_server
from tests.support.examples.administration import add_a_webhook, lend_the_table, look_after_the_keys, sign_a_phone_in
from tests.support.examples.checkpoints import sign_what_happened
from tests.support.examples.disputes import (
    agree_on_the_round,
    correct_the_round,
    dispute_the_round,
    look_at_the_round,
    resolve_the_dispute,
    show_the_players,
)
from tests.support.examples.evening import (
    join_two_ids,
    look_around,
    name_the_players,
    play_a_round,
    set_up_the_table,
    settle_the_evening,
)
from tests.support.examples.jobs import import_a_file, play_it_again
from tests.support.examples.money import settle_with_money
from tests.support.examples.proposals import ask_a_second_auditor
from tests.support.examples.record_examples import Recorder, write_examples
from tests.support.examples.refusals import (
    call_without_a_database,
    come_without_the_right_key,
    import_too_much,
    lose_the_line,
    send_what_cannot_be_read,
)


def play_story(house: House, bare: Logins) -> dict[str, Document]:
    """
    Play the story, and give its examples by the name of their file.

    Args:
        house: where a new club plays it.
        bare: a database that no migration has touched, for what a service says about one.
    """
    recorder = Recorder(house.new_client())
    look_around(recorder)
    table = set_up_the_table(recorder)
    name_the_players(recorder)
    round_id = play_a_round(recorder, table)
    dispute_id = dispute_the_round(recorder, table, round_id)
    correct_the_round(recorder, round_id, dispute_id)
    resolve_the_dispute(recorder, dispute_id)
    look_at_the_round(recorder, round_id)
    show_the_players(recorder, round_id)
    agree_on_the_round(recorder, round_id)
    second_id = settle_the_evening(recorder, table, round_id)
    settle_with_money(recorder, table, round_id)
    sign_what_happened(recorder, house, second_id)
    import_a_file(recorder, house)
    play_it_again(recorder, house, round_id)
    add_a_webhook(recorder)
    lend_the_table(recorder, house, table)
    look_after_the_keys(recorder)
    ask_a_second_auditor(recorder, house, round_id)
    join_two_ids(recorder)
    sign_a_phone_in(recorder)
    send_what_cannot_be_read(recorder)
    import_too_much(recorder, house)
    come_without_the_right_key(recorder, house)
    call_without_a_database(recorder, bare)
    lose_the_line(recorder, house)
    problems = {code: recorder.problems[code] for code in sorted(recorder.problems)}
    return {name: recorder.examples[name] for name in sorted(recorder.examples)} | {PROBLEMS: problems}


@contextmanager
def made_bare(server: Server) -> Iterator[Logins]:
    """A database that no migration has touched, gone afterwards."""
    bare = server.create_bare_database()
    yield bare
    server.drop_database(bare)


def main() -> None:
    """Play the story on a database of its own, and write its examples."""
    with embedded_server() as server, open_house(server) as house, made_bare(server) as bare:
        write_examples(FOLDER, play_story(house, bare))


if __name__ == "__main__":
    main()
