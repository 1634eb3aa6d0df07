"""Set-up: lens, table, pieces, printed sheets, and the renderer that draws scenes with truth."""
