"""What the files of deploy/ name."""

import re
from pathlib import Path
from typing import Final

from service.secret_files import NAMES
from tests.support.installation import ROOT

DEPLOY: Final = ROOT / "deploy"
_VARIABLE: Final = re.compile(r"\bOFC_[A-Z_]+\b")
_READ_BY: Final = (Path("service", "config.py"), Path("service", "logs.py"))


def find_variables() -> set[str]:
    """Return the names of all variables of the service that the files of deploy/ name."""
    files = (path for path in DEPLOY.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {name for path in files for name in _VARIABLE.findall(path.read_text(encoding="utf-8"))}


def find_unknown_variables() -> set[str]:
    """Return those that the service does not read."""
    known = {f"{name}_FILE" for name in NAMES}
    for path in _READ_BY:
        known |= set(_VARIABLE.findall((ROOT / path).read_text(encoding="utf-8")))
    return find_variables() - known
