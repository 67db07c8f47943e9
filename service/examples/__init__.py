"""Examples of requests and responses for the contract, recorded from a service; `make generate` records them again."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

Document = dict[str, Any]

FOLDER: Final = Path(__file__).parent
PROBLEMS: Final = "problems"
"""The file with one problem of each kind; every other is named like the operation that it shows."""


@cache
def read_examples() -> dict[str, Document]:
    """Read every file of examples, by its name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def add_examples(contract: Document, name_response: Callable[[int], str]) -> None:
    """
    Show an example of every request, parameter, header and response in a contract.

    They stand among its components, once each, so that what refers to them stays readable.

    Args:
        contract: the contract.
        name_response: returns the name of the response that documents problems of a status.
    """
    examples = read_examples()
    shown: Document = {}
    for item in contract["paths"].values():
        shared = item.get("parameters", [])
        for operation in (part for part in item.values() if "operationId" in part):
            name = operation["operationId"]
            if name in examples:
                shown |= _show_operation(operation, shared, name, examples[name])
    contract["components"]["examples"] = shown | _show_problems(contract, examples[PROBLEMS], name_response)


def _show_operation(operation: Document, shared: list[Document], name: str, example_set: Document) -> Document:
    """Refer an operation to its examples, and give those that it refers to."""
    for parameter in (*operation.get("parameters", []), *shared):
        if parameter["name"] in example_set["parameters"]:
            example = example_set["parameters"][parameter["name"]]
            parameter["example"] = example.split(",") if parameter["schema"].get("type") == "array" else example
    bodies = [(operation["requestBody"], f"{name}.request", example_set["request"])] if "request" in example_set else []
    for status, recorded in example_set["answers"].items():
        response = operation["responses"][status]
        for header, value in recorded["headers"].items():
            response["headers"][header]["example"] = value
        if "body" in recorded:
            bodies.append((response, f"{name}.{status}", recorded["body"]))
    for described, key, _ in bodies:
        _refer(described, {name: key})
    for form, body in example_set.get("forms", {}).items():
        bodies.append((operation["requestBody"], f"{name}.request.{form}", body))
        media = next(iter(operation["requestBody"]["content"].values()))
        media["examples"][form] = {"$ref": f"#/components/examples/{name}.request.{form}"}
    cut = {"summary": example_set["cut"]} if "cut" in example_set else {}
    shown = {key: {**cut, "value": value} for _, key, value in bodies}
    for status, recorded in example_set["answers"].items():
        for form, example in recorded.get("forms", {}).items():
            key = f"{name}.{status}.{re.sub('[/+]', '-', form)}"
            _refer({"content": {form: operation["responses"][status]["content"][form]}}, {name: key})
            shown[key] = example
    return shown


def _show_problems(contract: Document, problems: Document, name_response: Callable[[int], str]) -> Document:
    """Refer the responses that are problems to the kinds that they document."""
    by_response: dict[str, list[str]] = {}
    for code, problem in problems.items():
        by_response.setdefault(name_response(problem["status"]), []).append(code)
    shown: Document = {}
    for name, codes in by_response.items():
        response = contract["components"]["responses"][name]
        _refer(response, {code: f"problem.{code}" for code in codes})
        shown |= {f"problem.{code}": {"summary": problems[code]["title"], "value": problems[code]} for code in codes}
    return shown


def _refer(described: Document, keys: dict[str, str]) -> None:
    """Refer to examples from the first media type of a body."""
    media = next(iter(described["content"].values()), None)
    if media is not None:
        media["examples"] = {name: {"$ref": f"#/components/examples/{key}"} for name, key in keys.items()}
