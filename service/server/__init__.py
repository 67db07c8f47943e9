"""How requests reach the application: connections and their deadlines in one poller, work in a few threads."""
