"""
What shows that records were changed behind the service's back: every event, and every record that events speak of.

`covers` says of each column what it is held against, `chains` reads the events, `told` follows a round through them,
`round_records` and `club_records` say what must be kept then, and `comparing` names what is kept instead.
"""
