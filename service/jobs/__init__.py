"""Background jobs: a task of Celery for each chunk, which locks it, so that a job survives the loss of a worker."""
