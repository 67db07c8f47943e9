"""
What is to be recorded, kept on this machine until the service has answered.

A request is on disk before it is sent, with its exact bytes and its idempotency key, and is removed after its answer:
it is sent again after a lost answer, a kill or a power cut, and done once. The requests of a round are sent in the
order in which they were made; one that is refused stops its round, and no other. No key of a club is kept.
"""
