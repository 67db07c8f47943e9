"""Settings with passwords in files, as systemd and container platforms provide them."""

from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

from service.config import ConfigError

NAMES: Final = ("OFC_DATABASE_URL", "OFC_OWNER_URL", "OFC_BROKER_URL", "OFC_RATE_LIMIT_URL")
"""Each can be the path of a file in a variable with this name and `_FILE`."""


def read_secret_files(environment: MutableMapping[str, str]) -> None:
    """
    Replace the variables with paths of files by variables with their contents.

    Args:
        environment: the variables, which are changed: child processes get the contents, not the paths.

    Raises:
        ConfigError: a file cannot be read, or the variable with the content is set too.
    """
    for name in NAMES:
        path = environment.pop(f"{name}_FILE", "")
        if not path:
            continue
        if environment.get(name):
            raise ConfigError(f"{name} and {name}_FILE are set; expected one of them.")
        try:
            environment[name] = Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ConfigError(f"The file {path} of {name}_FILE cannot be read: {reason}.") from None
        except UnicodeDecodeError:
            raise ConfigError(f"The file {path} of {name}_FILE is not text in UTF-8; expected a URL.") from None
