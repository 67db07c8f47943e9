import gc
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from service.db import Database
from tests.support.brokers import BROKERS, Broker, find_brokers, opened_broker
from tests.support.database.postgres import (
    ExternalServer,
    Logins,
    Server,
    embedded_server,
    external_server,
    find_external,
)

TESTS = Path(__file__).parent
PAGES = TESTS / "web" / "pages"
FAST = [folder / name for folder in (TESTS, TESTS.parent) for name in ("scoring", "evidence", "schemas")]
"""Folders of tests that need no service."""
EVERY_SERVER = "every_server"
EVERY_BROKER = "every_broker"
RARE_COLLECTIONS = (10_000, 20, 50)
"""Garbage is collected after every module."""
USED: pytest.StashKey[set[str]] = pytest.StashKey()
COUNTED_CASES = 2
"""So many cases of a test walk the lines that coverage counts."""
# No test asserts how fast a machine is that does other work as well. `make verify` tries more examples.
settings.register_profile("few", deadline=None, max_examples=60)
settings.register_profile("many", deadline=None, max_examples=500)
settings.load_profile("few")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--requests", type=int, default=10, help="How many random requests hold each operation to its contract."
    )
    parser.addoption(
        "--require-browser", action="store_true", help="Fail the tests of web pages, not skip them, without a Chromium."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{EVERY_SERVER}: run on the embedded PostgreSQL, and on an external one where there is one"
    )
    config.addinivalue_line("markers", f"{EVERY_BROKER}: run with messages through the database, RabbitMQ and Redis")
    # Where the suite runs in the background, its processes would be deaf to Ctrl-C, and so would those that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[USED] = set()
    config.stash[BROKERS] = set()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect the tests without garbage collection, which would look through all of them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(*RARE_COLLECTIONS)


@pytest.fixture(scope="module", autouse=True)
def freeze_survivors() -> Iterator[None]:
    """
    Leave what outlives a module out of later garbage collections.

    Contracts, documents and compiled schemas that are kept for later tests fill a gigabyte, which every full collection
    would look through.
    """
    yield
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "server" in metafunc.fixturenames and metafunc.definition.get_closest_marker(EVERY_SERVER):
        others = ["external"] if find_external() else []
        external = [pytest.param(other, marks=pytest.mark.verify) for other in others]
        metafunc.parametrize("server", ["embedded", *external], indirect=True)
    if "broker" in metafunc.fixturenames and metafunc.definition.get_closest_marker(EVERY_BROKER):
        # What is not started by the suite itself is left to CI.
        others = [pytest.param(other, marks=pytest.mark.thorough) for other in find_brokers()]
        metafunc.parametrize("broker", ["the database", *others], indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """
    Mark what `make test` runs beside the smoke test of each subject, and what coverage counts.

    Leave out of coverage what is thorough, what has random input, further cases of a test, and the tests of pages.

    Other tests walk through the lines of the first three, and counting takes long. The service of pages runs in a
    process of its own.
    """
    cases: Counter[str] = Counter()
    for item in items:
        is_random = is_hypothesis_test(getattr(item, "obj", None))
        if any(folder in item.path.parents for folder in FAST):
            item.add_marker("smoke")
        cases[test := item.nodeid.partition("[")[0]] += 1
        is_counted = cases[test] <= COUNTED_CASES and not is_random and PAGES not in item.path.parents
        if not is_counted or item.get_closest_marker("thorough"):
            item.add_marker("no_cover")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """
    Run a test whose lines are not counted at full speed.

    The mark alone only stops what is called for every line; Python 3.11 goes on looking for it, nearly as slowly, until
    the running code itself tells it to stop. Coverage goes on after the test.
    """
    if pyfuncitem.get_closest_marker("no_cover"):
        sys.settrace(None)


@pytest.fixture(scope="session")
def embedded_postgres(pytestconfig: pytest.Config) -> Iterator[Server]:
    with embedded_server() as server:
        pytestconfig.stash[USED].add(server.name)
        yield server


@pytest.fixture(scope="session")
def external_postgres(pytestconfig: pytest.Config) -> Iterator[ExternalServer]:
    admin = find_external()
    assert admin is not None, "no external PostgreSQL responds"
    with external_server(admin) as server:
        pytestconfig.stash[USED].add(server.name)
        yield server


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Server:
    """The embedded server; in tests marked `every_server` each there is."""
    instance = request.getfixturevalue(f"{getattr(request, 'param', 'embedded')}_postgres")
    assert isinstance(instance, Server)
    return instance


@pytest.fixture
def broker(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Iterator[Broker]:
    """A queue of the test's own, in the database; in tests marked `every_broker` in each broker there is."""
    with opened_broker(getattr(request, "param", "the database")) as opened:
        pytestconfig.stash[BROKERS].add(opened.name)
        yield opened


@pytest.fixture
def logins(server: Server) -> Iterator[Logins]:
    """A fresh database at the newest migration: `logins.owner` and `logins.service` are its URLs."""
    urls = server.create_database()
    yield urls
    server.drop_database(urls)


@pytest.fixture
def bare_logins(server: Server) -> Iterator[Logins]:
    """A fresh database that no migration has touched; the service's login works once they have run."""
    urls = server.create_bare_database()
    yield urls
    server.drop_database(urls)


@pytest.fixture
def owner_url(logins: Logins) -> str:
    return logins.owner


@pytest.fixture
def database_url(logins: Logins) -> str:
    return logins.service


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The fresh database, as the service works with it."""
    opened = Database(database_url)
    yield opened
    opened.close()


def pytest_sessionfinish(session: pytest.Session) -> None:
    # A process of pytest-xdist tells the one that writes the summary.
    if hasattr(session.config, "workeroutput"):
        used: set[str] = session.config.stash[USED]
        session.config.workeroutput["postgres"] = sorted(used)
        session.config.workeroutput["brokers"] = sorted(session.config.stash[BROKERS])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    output = getattr(node, "workeroutput", {})
    stash: pytest.Stash = node.config.stash
    stash[USED].update(output.get("postgres", []))
    stash[BROKERS].update(output.get("brokers", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    used: set[str] = config.stash[USED]
    if used:
        terminalreporter.write_line(f"Databases: {', '.join(sorted(used))}")
    brokers: set[str] = config.stash[BROKERS]
    if brokers:
        terminalreporter.write_line(f"Messages through: {', '.join(sorted(brokers))}")
