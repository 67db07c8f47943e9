"""Where messages may be sent: what a host resolves to is checked, and the connection goes to that address."""

import socket
from ipaddress import ip_address
from typing import Any

import pytest

from service.config import ConfigError, read_settings
from service.errors import WebhookRefused
from service.http.services import services_of
from service.webhooks.sending import AllowedAddresses, Target, check_target, is_public, resolve
from tests.support.application import House
from tests.support.webhook_receiver import Receiver, Sending, sending

NOT_PUBLIC = [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.16.0.1", "192.168.1.1",
    "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "fe80::1",
    "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1",
    "168.63.129.16", "192.0.0.9", "192.0.0.192", "192.88.99.1", "fec0::1", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",
    "3fff::1", "5f00::1", "::ffff:168.63.129.16", "64:ff9b::a83f:8110", "64:ff9b:1::a9fe:a9fe", "2002:c000:c0::1",
]  # as a table  # fmt: skip


def resolve_to(*addresses: str) -> Any:
    """Return a resolver that returns these addresses."""

    def getaddrinfo(_host: str, port: int, **_options: Any) -> list[Any]:
        return [
            (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    return getaddrinfo


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_that_are_not_public_are_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_public(ip_address(address))
    monkeypatch.setattr(socket, "getaddrinfo", resolve_to(address))
    with pytest.raises(WebhookRefused, match=r"'club\.example' has no public address"):
        resolve(Target.of("https://club.example/"), AllowedAddresses())


@pytest.mark.parametrize("text", ["10.0.0.0/33", "https://hooks.internal", "hooks.internal:8080", "*"])
def test_an_invalid_list_of_allowed_hosts_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match=r"OFC_WEBHOOK_ALLOW has .*expected names of hosts and networks"):
        read_settings({"OFC_WEBHOOK_ALLOW": f"club.example {text}"})


def test_of_several_addresses_only_public_ones_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolve_to("10.0.0.1", "9.9.9.9", "::1", "2620:fe::fe"))
    addresses = resolve(Target.of("https://club.example/"), AllowedAddresses())
    assert [str(address) for address in addresses] == ["9.9.9.9", "2620:fe::fe"]


def test_numbers_that_resolvers_take_for_addresses_are_refused() -> None:
    for host in ("127.1", "2130706433", "0x7f000001", "017700000001"):
        with pytest.raises((WebhookRefused, OSError)):
            resolve(Target.of(f"https://{host}/"), AllowedAddresses())


def test_http_needs_the_operators_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolve_to("9.9.9.9"))
    with pytest.raises(WebhookRefused, match="expected 'https'"):
        resolve(Target.of("http://club.example/"), AllowedAddresses())
    for allow in ("club.example", "9.9.9.0/24"):
        assert resolve(Target.of("http://club.example/"), AllowedAddresses.parse(allow))


@pytest.mark.parametrize("url", ["http://9.9.9.9/", "http://club.example/", "http://[2620:fe::fe]/"])
def test_a_setting_for_other_hosts_permits_no_http(url: str) -> None:
    for allow in ("", "10.1.0.0/16", "hooks.internal, 127.0.0.1"):
        with pytest.raises(WebhookRefused, match="expected 'https', or a host that the setting OFC_WEBHOOK_ALLOW"):
            check_target(Target.of(url), AllowedAddresses.parse(allow))


@pytest.mark.parametrize("url", ["http://10.1.2.3/", "http://hooks.internal/", "https://club.example/"])
def test_http_is_permitted_to_hosts_and_addresses_of_the_setting(url: str) -> None:
    check_target(Target.of(url), AllowedAddresses.parse("10.1.0.0/16, hooks.internal"))


def test_a_host_that_resolves_to_this_machine_receives_nothing(
    local_house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sending(local_house, "https://club.example/", allow="") as club:
        resolver = socket.getaddrinfo

        def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
            return resolver("127.0.0.1" if host == "club.example" else host, *arguments, **options)

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        club.api.post(f"{club.address}/test", None)
        club.deliver()
        assert "has no public address" in club.deliveries[0]["last_error"]
    assert receiver.received == []


def test_the_connection_goes_to_the_address_that_was_checked(
    club: Sending, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves to another address the second time is not resolved a second time."""
    resolved = []
    resolver = socket.getaddrinfo
    port = int(receiver.url.rpartition(":")[2].partition("/")[0])

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        if host == "club.example":
            resolved.append(host)
            return resolve_to("127.0.0.1")(host, port)
        return resolver(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    changed = {"url": f"http://club.example:{port}/hooks"}
    monkeypatch.setattr(
        services_of(club.house.app), "allowed_addresses", AllowedAddresses.parse("127.0.0.1 club.example")
    )
    assert club.api.patch(club.address, changed).status == 200
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    assert resolved == ["club.example"]
    assert receiver.received[0].headers["host"] == f"club.example:{port}"
