"""The box: found, measured, and the discs in, on and against it."""
