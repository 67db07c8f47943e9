"""The settings of a connection: how soon a silent server is given up, and that a record waits for standbys."""

import socket
from uuid import uuid4

import pytest
from sqlalchemy import make_url

from migrations.privileges import SERVICE_PRIVILEGES
from service.db import Database
from tests.support.api_client import Api
from tests.support.application import Records, house_on
from tests.support.database.broken_connection import breaking_line_to_database
from tests.support.database.postgres import Logins, text_of
from tests.support.full_club import live

ASYNCHRONOUS = """
    CREATE FUNCTION refuse_asynchronous() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
            RAISE '%% of %% does not wait for standbys', TG_OP, TG_TABLE_NAME;
        END IF;
        RETURN NULL;
    END $$
"""


def test_a_silent_server_is_given_up_within_seconds(logins: Logins) -> None:
    with breaking_line_to_database(logins.service) as (_, through):
        database = Database(through)
        with database.connect_alone() as connection, socket.socket(fileno=socket.dup(connection.fileno())) as used:
            assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 8000
            assert used.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            names = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            assert [used.getsockopt(socket.IPPROTO_TCP, name) for name in names] == [5, 2, 2]
            assert connection.info.get_parameters()["connect_timeout"] == "2"
        database.close()


def test_the_url_can_have_other_limits(logins: Logins) -> None:
    url = make_url(logins.service).update_query_dict({"connect_timeout": "9", "tcp_user_timeout": "1000"})
    database = Database(text_of(url))
    with database.connect_alone() as connection:
        parameters = connection.info.get_parameters()
        assert (parameters["connect_timeout"], parameters["tcp_user_timeout"], parameters["keepalives_idle"]) == (
            "9",
            "1000",
            "5",
        )
    database.close()


def test_nothing_is_recorded_by_a_commit_that_does_not_wait_for_standbys(logins: Logins) -> None:
    """Not even where the server, as that of this suite, or the URL would not wait by default."""
    records = Records(logins.owner)
    records.change(ASYNCHRONOUS)
    for table in SERVICE_PRIVILEGES:
        # The last use of a key or a link is no record.
        changes = "INSERT OR DELETE" if table in ("api_keys", "links") else "INSERT OR UPDATE OR DELETE"
        records.change(f"CREATE TRIGGER synchronous BEFORE {changes} ON {table} EXECUTE FUNCTION refuse_asynchronous()")
    with pytest.raises(Exception, match="does not wait for standbys"):
        records.change("INSERT INTO clubs (id, name) VALUES (%s, 'asynchronous')", uuid4())
    local = Logins(
        *(
            text_of(make_url(url).update_query_dict({"options": "-csynchronous_commit=local"}))
            for url in (logins.owner, logins.service)
        )
    )
    with house_on(local) as house:
        api: Api = house.new_client()
        live(house, api)
