"""The dashboard: a match, live, in a browser."""

from webui.access import Access
from webui.app import create_app
from webui.serve import serve

__all__ = ["Access", "create_app", "serve"]
