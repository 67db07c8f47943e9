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
    asked = addresses(api)
    assert len(asked) == len(OPERATIONS)
    for method, path in [*asked, *(("GET", page) for page in PAGES)]:
        for asking in (api, nobody):
            headers = {"Authorization": f"Bearer {asking.key}"} if asking.key else {}
            address = re.sub(r"\{\w+\}", NOBODYS, path)
            answer = house.app.test_client().open(address, method=method, headers=headers, buffered=True)
            assert answer.headers["X-Content-Type-Options"] == "nosniff", path
            assert answer.headers["Referrer-Policy"] == "no-referrer", path
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'"), path
            assert "frame-ancestors 'none'" in policy, path
            assert "unsafe" not in policy, path
            kept = answer.headers.get("Cache-Control") != "no-store"
            assert kept == (asking.key is None) or path.startswith("/static"), path


@pytest.mark.parametrize("form", ["application/json", "text/plain", "text/html"])
def test_an_explanation_page_loads_no_resources_or_scripts(api: Api, form: str) -> None:
    played = api.post(f"/v1/rounds/{start_round(api)}/hands", hand(1, 1, THREE))
    answer = api.ask("GET", f"/v1/hands/{played['id']}/explanation", headers={"Accept": form})
    policy = answer.headers["Content-Security-Policy"]
    assert answer.status == 200
    assert "script" not in policy
    assert policy.count("style-src 'sha256-") == (form == "text/html")
    assert answer.headers["Cache-Control"] == "no-store"
