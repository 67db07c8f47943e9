"""What gunicorn serves: `service.wsgi:app`, on the database that OFC_DATABASE_URL names."""

from service.app import create_app
from service.config import Config

app = create_app(Config.from_environment())
