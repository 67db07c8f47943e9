"""What the console writes in sentences: findings, events and what is unusual."""
