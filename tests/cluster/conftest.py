import os
import shutil
from collections.abc import Iterator

import pytest

from tests.cluster.rig import running_rig
from tests.cluster.scene import Scene


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the rig out unless the markers name it: it is one for the machine, and takes all of it."""
    if "cluster" not in config.option.markexpr:
        rig = [item for item in items if item.get_closest_marker("cluster")]
        items[:] = [item for item in items if item not in rig]
        config.hook.pytest_deselected(items=rig)


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    """The rig, once for all faults: each begins and ends with everything running."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.fail("The rig needs root and debootstrap.")
    with running_rig() as rig:
        yield Scene(rig, "libpq")
