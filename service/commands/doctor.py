"""`ofc-server doctor`: one page of checks of the service and its machine."""

import os
import sys
from pathlib import Path

import click

from service.commands.checks import Check, CheckState, run_checks
from service.commands.options import data_option, json_option, read_tls, tls_options
from service.commands.output import print_json


@click.command()
@data_option
@tls_options
@json_option
def doctor(directory: Path | None, tls_cert: Path | None, tls_key: Path | None, as_json: bool) -> None:
    """
    Check the service and its machine, and show what to do about each problem.

    Run it with the settings of the service: the environment, --data and, if it has them, --tls-cert and --tls-key. It
    changes nothing. A check that cannot be made from here is `unchecked`, which is no problem.

    Exit codes: 0 no problem, 1 problems, 2 usage.

    \b
    Examples:
      ofc-server doctor
      ofc-server doctor --data /srv/ofc
      ofc-server doctor --json
      OFC_DATABASE_URL=postgresql://ofc@db.example/ofc  ofc-server doctor
    """
    checks = run_checks(os.environ, directory, read_tls(tls_cert, tls_key))
    has_problems = any(check.state is CheckState.PROBLEM for check in checks)
    if as_json:
        print_json({"is_ok": not has_problems, "checks": [_dump(check) for check in checks]})
    else:
        name_width = max(len(check.name) for check in checks)
        for check in checks:
            click.echo(f"{check.state:<9}  {check.name:<{name_width}}  {check.line}")
    sys.exit(int(has_problems))


def _dump(check: Check) -> dict[str, str | None]:
    return {
        "name": check.name,
        "state": check.state.value,
        "summary": " ".join(check.summary.split()),
        "remedy": check.remedy or None,
    }
