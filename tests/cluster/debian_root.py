"""Builds the Debian root of the rig by debootstrap, in a folder outside of the tree, and reuses it."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import platformdirs

PACKAGES: Final = (
    "etcd-client", "etcd-server", "faketime", "haproxy", "patroni", "pgbouncer", "postgresql-17", "python3-etcd",
    "rabbitmq-server",
)  # as a list  # fmt: skip
"""Debian's Patroni imports `python3-etcd` also where only etcd3 is configured."""
RELEASE: Final = "trixie"


def cache_folder() -> Path:
    """Return where the root and the reports are: `CLUSTER_CACHE`, or a folder in the cache of the user."""
    named = os.environ.get("CLUSTER_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("tablestakes") / "cluster"


def find_root() -> Path | None:
    """Return the root if it was built."""
    root = cache_folder() / "root"
    return root if root.exists() else None


def build_root() -> Path:
    """Build the root unless it exists; `CLUSTER_MIRROR` is another mirror than debootstrap's own."""
    root = cache_folder() / "root"
    if root.exists():
        return root
    partial = root.with_name("root.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    mirror = [os.environ["CLUSTER_MIRROR"]] if os.environ.get("CLUSTER_MIRROR") else []
    subprocess.run(["debootstrap", "--variant=minbase", RELEASE, partial, *mirror], check=True)
    # Packages start no servers and create no cluster of PostgreSQL.
    policy = partial / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    (partial / "etc/postgresql-common").mkdir(exist_ok=True)
    (partial / "etc/postgresql-common/createcluster.conf").write_text("create_main_cluster = false\n")
    shutil.copy("/etc/resolv.conf", partial / "etc/resolv.conf")
    subprocess.run(["mount", "-t", "proc", "proc", partial / "proc"], check=True)
    try:
        _install(partial)
    finally:
        subprocess.run(["umount", partial / "proc"], check=True)
    # Without it Patroni elects no leader.
    (partial / "dev/shm").chmod(0o1777)
    partial.rename(root)
    return root


def _install(root: Path) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    install = ["apt-get", "install", "--quiet", "--yes", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "--quiet", "update"], install):
        subprocess.run(["chroot", root, *command], env=environment, check=True)


if __name__ == "__main__":
    print(build_root())
