"""Security headers of every response."""

import re

import pytest

from tests.service.conformance.test_conformance import OPERATIONS
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import NOBODYS, THREE, hand, start_round

PAGES = ("/", "/docs", "/problems", "/problems/not-found", "/static/style.css", "/nowhere")


def addresses(api: Api) -> list[tuple[str, str]]:
    return [
        (method.upper(), path.replace("{player}", "ann").replace("{reference}", "pineapple"))
        for path, item in api.contract["paths"].items()
        for method in item
        if method != "parameters"
    ]


def test_every_response_has_security_headers(house: House, api: Api, nobody: Api) -> None:
    requested = addresses(api)
    assert len(requested) == len(OPERATIONS)
    for method, path in [*requested, *(("GET", page) for page in PAGES)]:
        for client in (api, nobody):
            headers = {"Authorization": f"Bearer {client.key}"} if client.key else {}
            address = re.sub(r"\{\w+\}", NOBODYS, path)
            response = house.app.test_client().open(address, method=method, headers=headers, buffered=True)
            assert response.headers["X-Content-Type-Options"] == "nosniff", path
            assert response.headers["Referrer-Policy"] == "no-referrer", path
            policy = response.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'"), path
            assert "frame-ancestors 'none'" in policy, path
            assert "unsafe" not in policy, path
            cacheable = response.headers.get("Cache-Control") != "no-store"
            assert cacheable == (client.key is None) or path.startswith(("/static", "/openapi.yaml")), path


@pytest.mark.parametrize("form", ["application/json", "text/plain", "text/html"])
def test_an_explanation_page_loads_no_resources_or_scripts(api: Api, form: str) -> None:
    played = api.post(f"/v1/rounds/{start_round(api)}/hands", hand(1, 1, THREE))
    response = api.request("GET", f"/v1/hands/{played['id']}/explanation", headers={"Accept": form})
    policy = response.headers["Content-Security-Policy"]
    assert response.status == 200
    assert "script" not in policy
    assert policy.count("style-src 'sha256-") == (form == "text/html")
    assert response.headers["Cache-Control"] == "no-store"
