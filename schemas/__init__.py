"""The wire: JSON to domain values and back. It knows neither the web framework nor the database."""
