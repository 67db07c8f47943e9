"""Checks that a wheel of the service has its pages, which git does not contain; pyproject.toml has the rest."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

STATIC = Path("service/pages/static")
BUILT = (
    STATIC / "web" / "files.json",
    STATIC / "rules" / "manifest.json",
    STATIC / "reference" / "swagger-ui-bundle.js",
)


class BuildWithPages(build_py):
    """Build the packages, unless a wheel would lack the pages."""

    def run(self) -> None:
        """Build the packages, or exit with the files that are missing."""
        missing = [str(path) for path in BUILT if not path.exists()]
        if missing and not self.editable_mode:
            raise SystemExit(f"The web pages are not built: {', '.join(missing)} not found. Run `make setup` first.")
        super().run()


setup(cmdclass={"build_py": BuildWithPages})
