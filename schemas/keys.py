"""Keys of a club on the wire: all but the secret, which is kept nowhere."""

from schemas.base import WireSchema
from schemas.fields import Inner, Listing, Text, Time, UuidField


class KeySchema(WireSchema):
    """A key as its club sees it."""

    id = UuidField(required=True)
    prefix = Text(required=True, longest=12, metadata={"description": "How the key begins, by which it is known."})
    name = Text(required=True, longest=100, metadata={"description": "What it is for."})
    scopes = Listing(Text(longest=20), most=20, required=True, metadata={"description": "What it opens."})
    created_at = Time(required=True)
    expires_at = Time(required=True, allow_none=True, metadata={"description": "Until when it opens anything."})
    revoked_at = Time(
        required=True, allow_none=True, metadata={"description": "From when on it opens nothing; may be to come."}
    )
    last_used_at = Time(required=True, allow_none=True, metadata={"description": "To the minute."})


class KeyPageSchema(WireSchema):
    """Keys, the newest first. The header `Link` leads to the next page."""

    keys = Listing(Inner(KeySchema), most=100, required=True)
