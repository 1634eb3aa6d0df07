"""Coasters on a still table: found, fitted, named, lowered onto each other, weighed against each other."""
