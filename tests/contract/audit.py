"""
Looks up the dependencies in the public lists of known vulnerabilities: `make audit`.

A known vulnerability fails. Lists that cannot be reached do not, so that one can work offline, but they are reported.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"
SERVICES = ("osv", "pypi")
SECONDS = 120
COMMAND = ("-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")

Found = dict[str, Any]


def known_vulnerabilities(dependencies: list[Found]) -> Iterator[str]:
    """List every known vulnerability with the versions that fix it."""
    for each in dependencies:
        for vulnerability in each.get("vulns", ()):
            without = ", ".join(vulnerability["fix_versions"]) or "none"
            yield f"{each['name']} {each['version']}: {vulnerability['id']}; versions without it: {without}"


def unchecked(dependencies: list[Found]) -> list[str]:
    """List the dependencies of which nothing is known."""
    return [each["name"] for each in dependencies if "skip_reason" in each]


def verdict(dependencies: list[Found] | None) -> tuple[int, list[str]]:
    """Return the exit code and the report; None is no response at all."""
    if dependencies is None:
        return 0, ["NOT CHECKED: no list of vulnerabilities can be reached; run `make audit` where there is a network."]
    vulnerabilities, skipped = list(known_vulnerabilities(dependencies)), unchecked(dependencies)
    lines = [f"KNOWN VULNERABILITY: {line}" for line in vulnerabilities]
    if skipped:
        lines.append(f"NOT CHECKED: {len(skipped)} of {len(dependencies)} dependencies: {', '.join(skipped)}")
    return (1 if vulnerabilities else 0), lines or [
        f"{len(dependencies)} dependencies, none with a known vulnerability."
    ]


def look_up() -> list[Found] | None:
    """Query the first service that responds; return None if none does."""
    for service in SERVICES:
        options = ["--vulnerability-service", service, "--requirement", str(CONSTRAINTS)]
        try:
            ended = subprocess.run(
                [sys.executable, *COMMAND, *options], capture_output=True, text=True, timeout=SECONDS, check=False
            )
            dependencies: list[Found] = json.loads(ended.stdout)["dependencies"]
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            continue
        if len(unchecked(dependencies)) < len(dependencies):
            return dependencies
    return None


def main() -> int:
    """Print what is known of the dependencies."""
    code, lines = verdict(look_up())
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
