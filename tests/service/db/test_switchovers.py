"""A switchover: the standby becomes the primary, and connections to the former primary stay open."""

from collections.abc import Iterator
from time import monotonic

import pytest
from sqlalchemy import text
from uuid_utils.compat import uuid7

from service.clubs.actions import create_club
from service.database_errors import DatabaseReadOnly
from service.db import SERVICE_ROLE, Database
from service.db.connections import TRUSTED_SECONDS
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.application import house_on
from tests.support.database.broken_connection import breaking_line
from tests.support.database.postgres import Logins
from tests.support.database.replicated_pair import WITHOUT_TLS, Pair, replicated_pair
from tests.support.server_process import wait_until

READ_ONLY = (503, "database-read-only")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with replicated_pair(tmp_path_factory.mktemp("pair")) as pair:
        yield pair


def logins_at(servers: str, more: str = "") -> Logins:
    options = f"{WITHOUT_TLS}{more}"
    return Logins(*(f"postgresql://{login}@{servers}&{options}" for login in ("ofc_owner", SERVICE_ROLE)))


def add_table(api: Api) -> tuple[int, str]:
    response = api.post("/v1/tables", {"name": f"table {uuid7()}", "ruleset": "pineapple"})
    return response.status, response["code"] if response.status != 201 else ""


def test_writes_work_again_after_a_switchover_behind_a_proxy_that_closes_nothing(pair: Pair) -> None:
    with breaking_line(pair.primary.place) as proxy, house_on(logins_at(f"127.0.0.1:{proxy.port}/ofc?")) as house:
        api = house.new_client()
        assert add_table(api) == (201, "")
        pair.switch_over()
        # The proxy still leads to the former primary.
        assert wait_until(lambda: api.get("/v1/tables").status == 200), "a standby can be read"
        assert add_table(api) == READ_ONLY
        assert api.get("/readyz")["code"] == "database-read-only"
        assert api.get("/v1/tables").status == 200, "which opens a connection to it"
        proxy.lead_to(pair.primary.place)
        responses = [add_table(api), add_table(api)]
        assert responses[0] in (READ_ONLY, (201, "")), "the connection is to a standby, and is discarded"
        assert responses[1] == (201, "")
        assert api.get("/readyz").status == 200


def test_reads_leave_a_former_primary_when_their_connection_was_idle(pair: Pair) -> None:
    is_standby = text("SELECT pg_is_in_recovery()")
    with breaking_line(pair.standby.place) as proxy:
        database = Database(logins_at(f"127.0.0.1:{proxy.port}/ofc?").service)
        with database.outside_clubs() as connection:
            assert connection.scalar(is_standby) is True
        proxy.lead_to(pair.primary.place)
        idle_since = monotonic()
        assert wait_until(lambda: monotonic() > idle_since + TRUSTED_SECONDS)
        with database.outside_clubs() as connection:
            assert connection.scalar(is_standby) is False
        database.close()


def test_what_a_worker_writes_reaches_the_new_primary(pair: Pair) -> None:
    with breaking_line(pair.standby.place) as proxy, house_on(logins_at(f"{pair.primary.address}/ofc?")) as house:
        club = create_club(house.owner, f"club {uuid7()}").id
        worker = Database(logins_at(f"127.0.0.1:{proxy.port}/ofc?").service, pool_size=4)
        with pytest.raises(DatabaseReadOnly), worker.transaction(club):
            pass
        with worker.reading(club) as transaction:
            assert transaction.execute(text("SELECT pg_is_in_recovery()")).scalar_one()
        proxy.lead_to(pair.primary.place)
        with pytest.raises(DatabaseReadOnly), worker.transaction(club):
            pass
        with worker.transaction(club):
            pass
        worker.close()


FORMS = {
    "as libpq has it": "{one},{two}/ofc?target_session_attrs=read-write",
    "as lists": "/ofc?host={host},{host}&port={first},{second}&target_session_attrs=read-write",
    "as SQLAlchemy has it": "/ofc?host={one}&host={two}&target_session_attrs=read-write",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_url_of_several_servers_finds_the_primary(pair: Pair, form: str) -> None:
    addresses = {"one": pair.primary.address, "two": pair.standby.address}
    ports = {"first": pair.primary.line.port, "second": pair.standby.line.port}
    with house_on(logins_at(form.format(host="127.0.0.1", **addresses, **ports))) as house:
        api = house.new_client()
        assert add_table(api) == (201, "")
        pair.switch_over()
        begun = monotonic()
        assert wait_until(lambda: add_table(api) == (201, ""))
        assert monotonic() - begun < 10
        with services_of(house.app).database.connect_alone() as alone:
            assert alone.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)
