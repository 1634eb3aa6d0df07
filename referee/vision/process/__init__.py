"""The eye as a process of its own, started again when it dies."""
