"""Pixels to facts. Never imports rules or games."""
