import os
import shutil
from collections.abc import Iterator

import pytest

from tests.cluster.rig import running_rig
from tests.cluster.scene import Scene


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    """The rig, once for all faults: each begins and ends with everything running."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.fail("The rig needs root and debootstrap.")
    with running_rig() as rig:
        yield Scene(rig, "libpq")
