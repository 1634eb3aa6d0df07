"""What the package carries with it: the printed set, and a clip of a match played with it."""

from pathlib import Path

FOLDER = Path(__file__).parent
LAYOUT = FOLDER / "layout.json"
CAMERA = FOLDER / "camera.json"
PIECES = FOLDER / "pieces"
CLIP = FOLDER / "clip.mp4"
MATCH = FOLDER / "match.toml"
"""Who plays in the clip, by which house rules: game, players, and a table of options."""
EXPECTED = FOLDER / "expected.txt"
"""What the rulebook says of each throw, and the result, written by hand."""
TRUTH = FOLDER / "truth.json"
"""What was filmed, throw by throw."""
