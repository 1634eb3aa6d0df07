"""What moves: hands, and coasters in the air."""
