"""
Write the secrets of deploy/compose.yaml: passwords, the URLs that contain them, and a signing key.

It runs in the environment of the service, for example in its image. It replaces no existing folder. Example:

    python deploy/make_secrets.py deploy/secrets
"""

import sys
from pathlib import Path
from secrets import token_urlsafe

from evidence import SigningKey


def make_secrets() -> dict[str, str]:
    """Return the content of each file by its name."""
    owner, web, broker, superuser = (token_urlsafe(24) for _ in range(4))
    roles = (
        "CREATE ROLE ofc_service NOLOGIN;\n"
        f"CREATE ROLE ofc_owner LOGIN PASSWORD '{owner}';\n"
        f"CREATE ROLE ofc_web LOGIN PASSWORD '{web}' IN ROLE ofc_service;\n"
        "CREATE DATABASE ofc OWNER ofc_owner;\n"
    )
    return {
        "broker-url": f"amqp://ofc:{broker}@rabbitmq:5672//",
        "database-url": f"postgresql://ofc_web:{web}@pgbouncer:6432/ofc",
        "owner-url": f"postgresql://ofc_owner:{owner}@postgresql:5432/ofc",
        "pgbouncer-users": f'"ofc_web" "{web}"\n',
        "postgres-password": superuser,
        "postgres-roles.sql": roles,
        "rabbitmq.conf": f"default_user = ofc\ndefault_pass = {broker}\n",
        "signing-key": f"{SigningKey.make('tablestakes').secret}\n",
    }


def main() -> None:
    """Write the files into a new folder, which only its owner can enter."""
    if len(sys.argv) != 2:
        sys.exit("Usage: make_secrets.py DIR")
    directory = Path(sys.argv[1])
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        sys.exit(f"{directory} already exists; expected a directory that does not exist.")
    for name, content in make_secrets().items():
        # Each container has another user, and reads only its own files.
        (directory / name).write_text(content, encoding="utf-8")
        (directory / name).chmod(0o444)


if __name__ == "__main__":
    main()
