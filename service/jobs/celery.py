"""The app for Celery's own commands, such as `celery -A service.jobs worker`; OFC_DATABASE_URL names the database."""

from service.config import Config
from service.worker import make_worker_app

app = make_worker_app(Config.from_environment())
