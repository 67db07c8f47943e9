"""The feed of events: pages, long polls and streams of what happens in a club."""
