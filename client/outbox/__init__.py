"""
Requests that are stored on this machine until the service has responded.

A request is on disk before it is sent, with its exact bytes and its idempotency key, and is removed after the response.
After a lost response, a kill or a power failure it is sent again, and takes effect once. The requests of a round are
sent in the order in which they were made. A refusal stops the requests of its round only. API keys are not stored.
"""
