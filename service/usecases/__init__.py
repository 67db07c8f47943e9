"""What the service does: one verb, one function, one file. Each loads, asks the rules, and saves; none commits."""
