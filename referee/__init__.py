"""A referee for games on a real table."""
