"""Environment variables, and the errors for invalid ones."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from psycopg import sql
from sqlalchemy import make_url

from service.cli import LAZY_COMMANDS, main
from service.config import Config, ConfigError, Hosting
from tests.support.database.postgres import Server
from tests.support.server_process import command


@pytest.mark.parametrize("text", ["http", "-1", "65536", "8000.0", "٣", "1_0"])
def test_the_port_is_an_integer(text: str) -> None:
    with pytest.raises(ConfigError, match=f"^OFC_PORT is '{text}'; expected an integer from 0 to 65535\\.$"):
        Hosting.from_environment({"OFC_PORT": text})


@pytest.mark.parametrize("text", ["0", "65", "two"])
def test_the_number_of_workers_is_at_least_one(text: str) -> None:
    with pytest.raises(ConfigError, match=f"^OFC_WORKERS is '{text}'; expected an integer from 1 to 64\\.$"):
        Hosting.from_environment({"OFC_WORKERS": text})


@pytest.mark.parametrize("text", ["11", "-1", "10.0.0.1"])
def test_trusted_proxies_is_an_integer(text: str) -> None:
    with pytest.raises(ConfigError, match=f"^OFC_TRUSTED_PROXIES is '{text}'; expected an integer from 0 to 10"):
        Config.from_environment({"OFC_DATABASE_URL": "postgresql:///ofc", "OFC_TRUSTED_PROXIES": text})


def test_options_take_precedence_over_the_environment() -> None:
    environment = {
        "OFC_HOST": "0.0.0.0",
        "OFC_PORT": "1",
        "OFC_WORKERS": "1",
        "OFC_CONCURRENCY": "1",
        "OFC_DATA": "/srv/one",
    }
    hosting = Hosting.from_environment(
        environment, host="::1", port=0, workers=3, concurrency=0, directory=Path("/srv/two")
    )
    assert hosting == Hosting("::1", 0, 3, 0, Path("/srv/two"))


def test_an_empty_variable_counts_as_unset() -> None:
    empty = {"OFC_HOST": "", "OFC_PORT": "", "OFC_WORKERS": "", "OFC_CONCURRENCY": "", "OFC_DATA": ""}
    assert Hosting.from_environment(empty) == Hosting.from_environment({})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("db.example:5432:secret", "is not a URL"),
        ("mysql://ofc:secret@db.example/ofc", "begins with mysql://"),
        ("postgresql://ofc:secret@db.example", "names no database"),
        ("postgresql://ofc:secret@db.example:port/ofc", "is not a URL"),
    ],
)
def test_an_invalid_database_url_is_rejected_without_its_password(text: str, words: str) -> None:
    for variables in ({"OFC_DATABASE_URL": text}, {"OFC_DATABASE_URL": "postgresql:///ofc", "OFC_OWNER_URL": text}):
        with pytest.raises(ConfigError) as refusal:
            Config.from_environment(variables)
        assert str(refusal.value).startswith(f"{list(variables)[-1]} {words}; expected a URL like postgresql://")
        assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_url_scheme_of_postgresql_is_accepted(scheme: str) -> None:
    config = Config(f"{scheme}://ofc:p%40ss@db.example:5433/ofc?sslmode=require", f"{scheme}://owner@db.example/ofc")
    assert config.database_url == "postgresql://ofc:p%40ss@db.example:5433/ofc?sslmode=require"
    assert config.owner_url == "postgresql://owner@db.example/ofc"


def test_a_password_is_never_shown() -> None:
    config = Config(
        "postgresql://ofc:secret@db.example/ofc?password=secret", "postgresql://owner:secret@db.example/ofc"
    )
    assert "secret" not in f"{config} {config!r} {config.database}"


def test_a_missing_database_url_is_reported_with_an_example() -> None:
    refused = command("migrate")
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: OFC_DATABASE_URL is not set; expected a URL like postgresql://")


def test_up_rejects_an_invalid_variable() -> None:
    refused = command("up", OFC_PORT="http")
    assert refused.returncode == 1
    assert refused.stderr == "Error: OFC_PORT is 'http'; expected an integer from 0 to 65535.\n"


@pytest.mark.parametrize(
    "variables",
    [
        {"OFC_BROKER_URL": "kafka://broker"},
        {"OFC_QUEUE": "two words"},
        {"OFC_RATE_LIMIT": "many"},
        {"OFC_RATE_LIMIT_URL": "memcached://localhost"},
        {"OFC_TRANSFER_SECONDS": "0"},
    ],
    ids=str,
)
def test_an_invalid_variable_is_reported_before_anything_is_created(tmp_path: Path, variables: dict[str, str]) -> None:
    refused = command("up", "--port", "0", "--data", str(tmp_path / "ofc"), **variables)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"Error: {next(iter(variables))} ")
    assert not (tmp_path / "ofc").exists()


def test_a_login_that_cannot_create_the_first_key_is_rejected(embedded_postgres: Server, tmp_path: Path) -> None:
    logins = embedded_postgres.create_database()
    refused = command("up", "--port", "0", "--data", str(tmp_path), OFC_DATABASE_URL=logins.service)
    embedded_postgres.drop_database(logins)
    assert refused.returncode == 1
    assert "set OFC_OWNER_URL to the login that owns its tables." in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_an_unusable_login_is_reported_before_anything_serves(embedded_postgres: Server, tmp_path: Path) -> None:
    logins = embedded_postgres.create_database()
    stranger = f"{embedded_postgres.prefix}_stranger"
    embedded_postgres.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(stranger)))
    its_own = make_url(logins.service).set(username=stranger).render_as_string()
    refused = command(
        "up", "--port", "0", "--data", str(tmp_path), OFC_DATABASE_URL=its_own, OFC_OWNER_URL=logins.owner
    )
    embedded_postgres.drop_database(logins)
    embedded_postgres.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(stranger)))
    assert refused.returncode == 1
    assert "cannot use the role ofc_service; an administrator can allow it: GRANT ofc_service TO" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def verbs_of(command: click.Command, *path: str) -> Iterator[str]:
    """Return a command and its subcommands, as they are typed."""
    if path:
        yield " ".join(path)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from verbs_of(inner, *path, name)


@pytest.mark.parametrize("verb", [*verbs_of(main)])
def test_the_help_of_every_command_has_an_example(verb: str) -> None:
    shown = CliRunner().invoke(main, [*verb.split(), "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Examples?:\n.*ofc-server {verb}", shown.stdout, re.DOTALL)


@pytest.mark.parametrize("name", LAZY_COMMANDS)
def test_summaries_of_lazy_commands_match_their_help(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert (command.name, command.get_short_help_str(200)) == (name, LAZY_COMMANDS[name][1])


def test_help_imports_no_command_and_no_database_driver() -> None:
    loads = "import sys; from service.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True).stdout.split()
    assert "service.config" in loaded
    assert not {"service.commands.key", "marshmallow", "psycopg", "sqlalchemy", "structlog"} & {*loaded}


def test_the_version_is_the_package_version() -> None:
    assert command("--version").stdout.startswith("ofc-server, version ")
