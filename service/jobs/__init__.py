"""Background jobs: workers claim chunks with leases, so that a job survives the loss of a worker."""
