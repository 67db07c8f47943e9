"""API keys: who can read what."""

from typing import Any

from schemas.base import WireSchema
from schemas.fields import Inner, Listing, Text, Time, UuidField
from schemas.pages import PageSchema


class ScopeField(Text):
    """The name of a scope. New scopes can be added, so it is a text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=20, **options)


class ApiKeySchema(WireSchema):
    """An API key of the club, without its secret, which is not stored."""

    id = UuidField(required=True, description="ID of the key.")
    prefix = Text(
        required=True, longest=12, description="First characters of the key, which identify it in lists and logs."
    )
    name = Text(required=True, longest=100, description="What the key is used for, as its creator named it.")
    scopes = Listing(ScopeField(), most=20, required=True, description="What the key is allowed to do.")
    created_at = Time(required=True, description="Time when the key was created.")
    expires_at = Time(
        required=True, allow_none=True, description="Time when the key expires. Null if it does not expire."
    )
    revoked_at = Time(
        required=True,
        allow_none=True,
        description="Time from which the key is revoked, which can be in the future. Null if it is not revoked.",
    )
    last_used_at = Time(
        required=True,
        allow_none=True,
        description="Time of the last request with the key, to the minute. Null if it was never used.",
    )


class ApiKeyPageSchema(PageSchema):
    """One page of API keys, newest first."""

    keys = Listing(Inner(ApiKeySchema), most=100, required=True, description="The keys of this page, newest first.")
