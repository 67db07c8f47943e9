"""Adds the contract to a wheel, and checks that it has its pages; pyproject.toml has the rest."""

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
    """Build the packages with the contract, unless a wheel would lack the pages."""

    def run(self) -> None:
        """Build the packages, or exit with the files that are missing."""
        missing = [str(path) for path in BUILT if not path.exists()]
        if missing and not self.editable_mode:
            raise SystemExit(f"The web pages are not built: {', '.join(missing)} not found. Run `make setup` first.")
        super().run()
        if not self.editable_mode:
            for name in ("openapi.yaml", "openapi-audit.yaml"):
                self.copy_file(name, str(Path(self.build_lib) / "service" / name))


setup(cmdclass={"build_py": BuildWithPages})
