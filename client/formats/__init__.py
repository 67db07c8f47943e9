"""Files of other tools: one module reads one format, and declares what it reads and what a file cannot know."""
