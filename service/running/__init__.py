"""`ofc-server up`: database, migrations, web and worker, started, kept and stopped together."""
