"""The WSGI application `service.wsgi:app` on the database of OFC_DATABASE_URL."""

from service.app import create_app
from service.config import Config

app = create_app(Config.from_environment())
