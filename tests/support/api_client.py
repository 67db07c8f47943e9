"""A client of the API that validates every response against the contract."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonschema_rs
from flask import Flask

from service.http.services import services_of

Document = dict[str, Any]


@dataclass(frozen=True)
class ApiResponse:
    """A response of the API: status, decoded body, headers and text."""

    status: int
    document: Any
    headers: dict[str, str]
    text: str = ""

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    @property
    def codes(self) -> set[str]:
        """The codes of all mistakes of a problem."""
        return {mistake["code"] for mistake in self.document["errors"]}

    @property
    def mistakes(self) -> dict[str, str]:
        """The code of the mistake at each pointer of a problem."""
        return {mistake["pointer"]: mistake["code"] for mistake in self.document["errors"]}


def replayed(response: ApiResponse) -> bool:
    """Return whether the response is a replay of an earlier one."""
    assert response.status in (200, 201), response
    return response.headers.get("Idempotent-Replayed") == "true"


class Api:
    """A client with a key."""

    def __init__(self, app: Flask, key: str | None) -> None:
        self.app = app
        self.key = key
        self.contract = _contract_of(app)

    def get(self, path: str) -> ApiResponse:
        return self.request("GET", path)

    def post(self, path: str, document: object) -> ApiResponse:
        return self.request("POST", path, json=document)

    def put(self, path: str, document: object, **options: Any) -> ApiResponse:
        return self.request("PUT", path, json=document, **options)

    def patch(self, path: str, document: object, **options: Any) -> ApiResponse:
        return self.request("PATCH", path, json=document, **options)

    def delete(self, path: str) -> ApiResponse:
        return self.request("DELETE", path)

    def request(self, method: str, path: str, **options: Any) -> ApiResponse:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers |= options.pop("headers", {})
        raw = self.app.test_client().open(path, method=method, headers=headers, buffered=True, **options)
        read = raw.get_json(silent=True, force=True)
        response = ApiResponse(raw.status_code, read, dict(raw.headers), raw.get_data().decode(errors="replace"))
        self._check(method, path, response, raw.content_type)
        return response

    def _check(self, method: str, path: str, response: ApiResponse, content_type: str) -> None:
        assert response.headers["Request-Id"]
        operation = self._operation(method, path.partition("?")[0])
        if operation is None:
            assert response.status in (404, 405), f"{method} {path} is not in the contract"
            return
        responses = operation["responses"]
        problem = {"$ref": "#/components/schemas/Problem"}
        if response.status >= 400:
            assert content_type == "application/problem+json"
            assert response["request_id"] == response.headers["Request-Id"]
            schema = problem
        else:
            content = resolve(self.contract, responses[str(response.status)]).get("content", {})
            if not content:
                return
            kind = content_type.partition(";")[0]
            assert kind in content, f"{operation['operationId']} does not document {kind}"
            for line in response.text.splitlines() if "x-line-schema" in content[kind] else ():
                validate(self.contract, content[kind]["x-line-schema"], json.loads(line))
            if kind != "application/json":
                return
            schema = content["application/json"]["schema"]
        validate(self.contract, schema, response.document)

    def _operation(self, method: str, path: str) -> Document | None:
        for template, operations in self.contract["paths"].items():
            if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
                operation: Document | None = operations.get(method.lower())
                return operation
        return None


def resolve(contract: Document, part: Document) -> Document:
    """Follow a reference into the contract."""
    if "$ref" not in part:
        return part
    target: Any = contract
    for name in part["$ref"].removeprefix("#/").split("/"):
        target = target[name]
    assert isinstance(target, dict)
    return target


def validate(contract: Document, schema: Document, document: object) -> None:
    """Hold a document against a schema of the contract, in which no field may be that is not described."""
    _validator(_Same(contract), json.dumps(schema)).validate(document)


@lru_cache(maxsize=16)
def _contract_of(app: Flask) -> Document:
    """Read an application's contract once for all its clients, who check by the same schemas."""
    contract: Document = services_of(app).contract.spec.to_dict()
    return contract


class _Same:
    """Makes a contract a key, by identity."""

    def __init__(self, contract: Document) -> None:
        self.contract = contract

    def __hash__(self) -> int:
        return id(self.contract)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.contract is self.contract


@lru_cache(maxsize=1024)
def _validator(same: _Same, schema: str) -> jsonschema_rs.Validator:
    components = {"components": same.contract["components"]}
    return jsonschema_rs.validator_for({**json.loads(schema), **components})
