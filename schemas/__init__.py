"""The wire: JSON to domain values and back. Knows neither the web framework nor the database."""
