"""The printed Poc! set: drawings of our own, as pictures for the eye and as ink for the printer."""

from calibration.art.faces import (
    RADIUS_MM,
    TAG_CENTER,
    TAG_FAMILY,
    TAG_MM,
    THICKNESS_MM,
    Face,
    marker,
    printed_set,
)
from calibration.art.piece_set import write_piece_set
from calibration.art.shapes import on_page, raster

__all__ = [
    "RADIUS_MM",
    "TAG_CENTER",
    "TAG_FAMILY",
    "TAG_MM",
    "THICKNESS_MM",
    "Face",
    "marker",
    "on_page",
    "printed_set",
    "raster",
    "write_piece_set",
]
