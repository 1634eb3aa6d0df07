"""The dashboard: a match, live, in a browser."""
