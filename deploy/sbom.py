"""
Write a list of all packages in a folder of wheels, with versions, licenses and hashes, in the format CycloneDX.

`make wheels` and `make image` run it. It also lists the npm packages whose files the wheel of the service contains,
but not the packages of the base image. Example:

    python deploy/sbom.py dist/wheels dist/sbom.cdx.json
"""

import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final
from venv import EnvBuilder
from zipfile import ZipFile

from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT: Final = Path(__file__).parents[1]
OWN: Final = {"tablestakes", "tablestakes-client"}
"""The project, which is on no index: a package URL would name the distributions of others."""
BUILD_TOOLS: Final = {"@resvg/resvg-wasm", "esbuild"}
"""The npm packages that build the web pages, of which the wheel has no file."""


def describe_wheels(wheels: Path) -> dict[str, Any]:
    """
    Return the document of `cyclonedx-py` about an environment with these wheels.

    Only their metadata is unpacked, so the wheels can be those of another processor or version of Python.
    """
    with tempfile.TemporaryDirectory() as directory:
        environment = Path(directory, "environment")
        EnvBuilder(symlinks=True).create(environment)
        (packages,) = environment.glob("lib/python3*/site-packages")
        for wheel in wheels.glob("*.whl"):
            with ZipFile(wheel) as archive:
                archive.extractall(packages, [name for name in archive.namelist() if ".dist-info/" in name])
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", environment]
        # PYTHONPATH would add the packages of this Python.
        variables = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        ended = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=variables)
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def hash_wheels(wheels: Path) -> dict[str, str]:
    """Return the SHA-256 of each wheel by the normalized name of its distribution."""
    return {
        parse_wheel_filename(wheel.name)[0]: hashlib.sha256(wheel.read_bytes()).hexdigest()
        for wheel in wheels.glob("*.whl")
    }


def list_npm_packages() -> list[dict[str, Any]]:
    """Return the components of npm whose files are in the wheel of the service, from web/package-lock.json."""
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    components = []
    for name in sorted(packages[""]["dependencies"].keys() - BUILD_TOOLS):
        package = packages[f"node_modules/{name}"]
        purl = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
        algorithm, _, digest = package["integrity"].partition("-")
        components.append(
            {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": package["version"],
                "hashes": [
                    {"alg": algorithm.upper().replace("SHA", "SHA-"), "content": base64.b64decode(digest).hex()}
                ],
                "licenses": [{"license": {"id": package["license"]}}],
                "purl": purl,
            }
        )
    return components


def list_packages(wheels: Path) -> dict[str, Any]:
    """Return the whole document, whose main component is the service."""
    document, hashes = describe_wheels(wheels), hash_wheels(wheels)
    components, npm = document["components"], list_npm_packages()
    for component in components:
        name = canonicalize_name(component["name"])
        component["hashes"] = [{"alg": "SHA-256", "content": hashes.pop(name)}]
        if name in OWN:
            component.pop("purl")
    assert not hashes, f"wheels without metadata: {sorted(hashes)}"
    (service,) = (each for each in components if each["name"] == "tablestakes")
    document["metadata"]["component"] = service | {"type": "application"}
    document["components"] = [each for each in components if each is not service] + npm
    references = [each["bom-ref"] for each in npm]
    for dependency in document["dependencies"]:
        if dependency["ref"] == service["bom-ref"]:
            dependency["dependsOn"] = sorted({*dependency.get("dependsOn", ()), *references})
    document["dependencies"] += [{"ref": reference} for reference in references]
    return document


def main() -> None:
    """Write the document about a folder of wheels into a file."""
    if len(sys.argv) != 3:
        sys.exit("Usage: sbom.py WHEELS FILE")
    document = list_packages(Path(sys.argv[1]))
    Path(sys.argv[2]).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{sys.argv[2]}: {len(document['components']) + 1} packages")


if __name__ == "__main__":
    main()
