"""The server processes: `ofc-server up`, the embedded PostgreSQL, and the web server."""
