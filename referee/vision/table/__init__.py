"""The camera over the table: its lens, its pose, the colours that lie beneath everything."""
