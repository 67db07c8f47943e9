"""The console: pages for auditors and managers of a club, who sign in with a key."""
