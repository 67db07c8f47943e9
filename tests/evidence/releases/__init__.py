"""Evidence that each release has made, stored so that later releases are tested to verify it."""

from pathlib import Path

FOLDER = Path(__file__).parent
RELEASES = sorted(path.stem for path in FOLDER.glob("*.json"))


def newest_evidence(suffix: str) -> Path:
    """Return a file of the newest release: `json`, `key` or `checkpoint`."""
    return FOLDER / f"{RELEASES[-1]}.{suffix}"
