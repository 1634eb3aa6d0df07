"""What changed: from frame to frame, and from one still table to the next."""
