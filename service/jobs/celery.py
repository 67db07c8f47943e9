"""The app for Celery's own commands, such as `celery -A service.jobs worker`; OFC_DATABASE_URL names the database."""

from service.config import Config
from service.worker import check_database, make_worker_app

_config = Config.from_environment()
check_database(_config)
app = make_worker_app(_config)
