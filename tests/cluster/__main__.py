"""Runs the rig until Ctrl-C (`up`), or removes what is left of one (`down`)."""

import subprocess
import sys
from signal import pause

from tests.cluster.debian_root import find_root
from tests.cluster.network import enter, remove_network
from tests.cluster.rig import URL, running_rig


def main(command: str) -> None:
    if command == "down":
        remove_network()
        root = find_root()
        if root is not None and (root / "proc/self").exists():
            subprocess.run(["umount", root / "proc"], check=True)
        return
    with running_rig() as rig:
        print(f"The service responds at {URL}, from the host `client`:")
        print(f"  {' '.join(enter('client'))} curl {URL}/readyz")
        print(f"Logs are in {rig.logs}. Ctrl-C ends the rig.", flush=True)
        try:
            pause()
        except KeyboardInterrupt:
            print("The rig ends.")


if __name__ == "__main__":
    main(sys.argv[1])
