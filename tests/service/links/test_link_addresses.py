"""The address of a link to a table, and its warnings."""

from urllib.parse import urlsplit

import pytest

from service.app import create_app
from service.config import Config, ConfigError, read_settings
from service.http.services import services_of
from tests.service.links.linked_table import table_of
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House


def issue_at(house: House, api: Api, base_url: str, **settings: str) -> ApiResponse:
    """Issue a link by a request to an address, at a service with some settings."""
    table = table_of(api, f"table at {base_url}"[:60].replace("/", " "))
    values = read_settings(settings)
    app = create_app(
        Config(house.logins.service, public_url=values["public_url"], allowed_hosts=values["allowed_hosts"])
    )
    try:
        return Api(app, api.key).request("POST", "/v1/links", json={"table": table}, base_url=base_url)
    finally:
        services_of(app).database.close()


def base_of(issued: ApiResponse) -> str:
    assert issued.status == 201, issued
    address = urlsplit(issued["url"])
    return f"{address.scheme}://{address.netloc}"


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("http://127.0.0.1:8000", ["link-loopback"]),
        ("http://[::1]:8000", ["link-loopback"]),
        ("http://localhost:8000", ["link-loopback"]),
        ("http://192.168.1.20:8000", ["link-readable"]),
        ("http://[fd00::7]:8000", ["link-readable"]),
        ("https://192.168.1.20", []),
    ],
)
def test_a_link_has_the_address_of_the_request(house: House, api: Api, address: str, warned: list[str]) -> None:
    issued = issue_at(house, api, address)
    assert base_of(issued) == address
    assert [each["code"] for each in issued["warnings"]] == warned
    assert all("OFC_PUBLIC_URL" in each["detail"] for each in issued["warnings"])


def test_the_public_address_takes_precedence(house: House, api: Api) -> None:
    for host in ("http://127.0.0.1:8000", "http://evil.example"):
        issued = issue_at(house, api, host, OFC_PUBLIC_URL="https://ofc.club.example/")
        assert (base_of(issued), issued["warnings"]) == ("https://ofc.club.example", [])


def test_a_host_that_the_client_made_up_is_refused(house: House, api: Api) -> None:
    refused = issue_at(house, api, "http://evil.example:8000")
    assert (refused.status, refused["code"]) == (409, "link-address-unknown")
    assert refused["detail"].startswith("the host of the request is 'evil.example', which is not known")
    assert house.query("SELECT count(*) FROM links WHERE label = 'evil'") == [(0,)]
    allowed = issue_at(house, api, "http://evil.example:8001", OFC_ALLOWED_HOSTS="cardroom, Evil.example")
    assert base_of(allowed) == "http://evil.example:8001"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("OFC_PUBLIC_URL", "ofc.club.example", "expected an address like https://ofc.club.example, without a path"),
        ("OFC_PUBLIC_URL", "https://club.example/ofc", "without a path"),
        ("OFC_PUBLIC_URL", "https://user:secret@club.example", "without a path"),
        ("OFC_PUBLIC_URL", "javascript:alert(1)", "expected an address"),
        ("OFC_ALLOWED_HOSTS", "https://club.example", "expected names of hosts like ofc.club.example"),
        ("OFC_ALLOWED_HOSTS", "club.example:8000", "without a port"),
        ("OFC_ALLOWED_HOSTS", "*", "expected names of hosts"),
    ],
)
def test_an_invalid_setting_is_refused(name: str, text: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"^{name} (is|has) ") as refused:
        read_settings({name: text})
    assert expected in str(refused.value)
