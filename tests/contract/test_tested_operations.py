"""Every operation of the contract has a test of the service."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[2]
CONTRACT: Final[dict[str, Any]] = yaml.load((ROOT / "openapi-audit.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
OPERATIONS: Final = {
    operation["operationId"]: (method, path)
    for path, methods in CONTRACT["paths"].items()
    for method, operation in methods.items()
    if method != "parameters"
}
TESTS: Final = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/service").rglob("test_*.py"))
)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_is_named_in_a_test_by_its_id_or_its_request(operation: str) -> None:
    method, path = OPERATIONS[operation]
    route = re.sub(r"\{\w+\}", r"(?:\\{[^}]+\\}|[\\w.-]+)", path)
    request = rf"\b{method}\(\s*f?\"{route}[\"?]|\"{method.upper()}\", f?\"{route}[\"?]"
    assert re.search(rf"\b{operation}\b|{request}", TESTS)


def test_an_operation_without_a_test_would_be_found() -> None:
    assert len(OPERATIONS) >= 90
    assert not re.search(r"\bdelete\(\s*f?\"/v1/rounds/", TESTS)
