"""The files that describe a set-up are read as promised, and broken ones are told in one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import CalibrationError, ConfigError, RefereeError
from referee.formats import BoxSize, CameraModel, load_camera, load_layout, load_pieces

LAYOUT: dict[str, Any] = {
    "marker_family": "tag36h11",
    "marker_mm": 50.0,
    "marker_centers_mm": {"0": [-270, -190], "1": [270, -190]},
    "marker_z_mm": 0.4,
    "box": {"outer_mm": 104, "height_mm": 66, "lid": True},
    "play_area_mm": [[-300, -200], [300, -200], [0, 250]],
    "table_edge_mm": [[-500, -400], [500, -400], [500, 400], [-500, 400]],
}
CAMERA: dict[str, Any] = {
    "size": [640, 480],
    "K": [[600, 0, 320], [0, 610, 240], [0, 0, 1]],
    "dist": [0.1, 0, 0, 0, 0],
}
PIECES: dict[str, Any] = {
    "name": "two",
    "shape": "disc",
    "radius_mm": 47.0,
    "thickness_mm": 3.0,
    "marker_family": "tag36h11",
    "tag_mm": 15.0,
    "tag_center": [0.0, -0.4],
    "pieces": [
        {"id": "a", "animal": "fox", "value": 1, "tags": [10, None], "front": "f.png", "back": "b.png"},
        {"id": "b", "front": "f.png", "back": "b.png"},
    ],
}

Load = Callable[[Path], object]

JARGON = re.compile(
    r"\b(None|True|False|NoneType|dict|tuple|object is|subscriptable|iterable|literal|argument|attribute|"
    r"unpack|values to|not enough values|\w+Error)\b|'(int|float|str|list|bool)'"
)
"""Words of Python, which say nothing to whoever wrote the file."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("formats")
    (made / "f.png").write_bytes(b"a picture")
    (made / "b.png").write_bytes(b"another")
    return made


def written(folder: Path, content: Any) -> Path:
    path = folder / "pieces.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_layout_says_what_its_file_says(folder: Path) -> None:
    layout = load_layout(written(folder, LAYOUT))
    assert layout.marker_centers_mm == {0: (-270.0, -190.0), 1: (270.0, -190.0)}
    assert (layout.marker_mm, layout.marker_z_mm, layout.box) == (50.0, 0.4, BoxSize(104.0, 66.0, True))
    assert layout.play_area_mm == ((-300.0, -200.0), (300.0, -200.0), (0.0, 250.0))
    assert len(layout.table_edge_mm) == 4


def test_what_a_layout_leaves_out_has_its_usual_value(folder: Path) -> None:
    few = {k: LAYOUT[k] for k in ("marker_mm", "marker_centers_mm")}
    layout = load_layout(written(folder, few))
    assert (layout.marker_family, layout.marker_z_mm, layout.box) == ("tag36h11", 0.0, None)
    assert layout.play_area_mm == layout.table_edge_mm == ()


def test_a_camera_file_may_hold_other_keys_and_leave_out_the_distortion(folder: Path) -> None:
    given_ = {**CAMERA, **LAYOUT}
    del given_["dist"]
    camera = load_camera(written(folder, given_))
    assert camera == CameraModel((640, 480), ((600, 0, 320), (0, 610, 240), (0, 0, 1)), (0.0,) * 5)


def test_a_piece_set_says_what_its_file_says(folder: Path) -> None:
    written(folder, PIECES)
    pieces = load_pieces(folder)
    assert [(p.id, p.animal, p.value, p.tags) for p in pieces.pieces] == [
        ("a", "fox", 1, (10, None)),
        ("b", "", 0, (None, None)),
    ]
    assert (pieces.name, pieces.tag_mm, pieces.tag_center) == ("two", 15.0, (0.0, -0.4))
    assert pieces.pieces[0].front == folder / "f.png"


def told(load: Load, path: Path, kind: type[RefereeError]) -> str:
    """The one sentence in which the file is refused."""
    with pytest.raises(kind) as refused:
        load(path)
    said = str(refused.value)
    assert "\n" not in said and said.isprintable()
    assert str(path) in said
    assert not JARGON.search(said), said
    return said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"marker_family": "tag99"}, "marker_family must be one of tag36h11, tag25h9, tag16h5, not 'tag99'"),
        ({"marker_mm": -1}, "marker_mm must be a positive number"),
        ({"marker_centers_mm": {"0": [0, 0]}}, "at least two markers"),
        ({"marker_centers_mm": {"0": [0, 0], "1": [0, 0]}}, "same centre"),
        ({"marker_centers_mm": {"0": [0, 0], "1": [0]}}, "marker_centers_mm.1 must be a point, two numbers"),
        ({"marker_centers_mm": {"0": [0, 0], "left": [9, 9]}}, "a marker's number for its key"),
        ({"marker_centers_mm": {"0": [0, 0], "-1": [9, 9]}}, "tag36h11 has no marker -1"),
        ({"marker_centers_mm": {"0": [0, 0], "587": [9, 9]}}, "its markers are 0 to 586"),
        ({"marker_centers_mm": [[0, 0], [1, 1]]}, "marker_centers_mm must be an object"),
        ({"marker_z_mm": 1e999}, "marker_z_mm must be a finite number"),
        ({"box": {"outer_mm": 104}}, "box.height_mm is missing"),
        ({"box": 7}, "box must be an object, { … }, not 7"),
        ({"play_area_mm": [[0, 0], [1, 1]]}, "at least three corners"),
    ],
)
def test_a_layout_that_cant_be_used_is_told(folder: Path, changed: dict[str, Any], said: str) -> None:
    assert said in told(load_layout, written(folder, {**LAYOUT, **changed}), CalibrationError)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"size": [0, 480]}, "size must be positive"),
        ({"size": 640}, "size must be two whole numbers, [width, height], not 640"),
        ({"size": [1e999, 480]}, "size[0] must be a finite number"),
        ({"size": [640.5, 480]}, "size[0] must be a whole number, not 640.5"),
        ({"K": [[600, 0], [0, 600]]}, "K must be three rows of three numbers"),
        ({"K": [[-600, 0, 320], [0, 600, 240], [0, 0, 1]]}, "no camera matrix"),
        ({"K": [[600, 2, 320], [0, 600, 240], [0, 0, 1]]}, "skewed"),
        ({"K": [[1e999, 0, 320], [0, 600, 240], [0, 0, 1]]}, "finite"),
        ({"dist": [0, 0]}, "4, 5 or 8 numbers"),
    ],
)
def test_a_camera_that_cant_be_used_is_told(folder: Path, changed: dict[str, Any], said: str) -> None:
    assert said in told(load_camera, written(folder, {**CAMERA, **changed}), CalibrationError)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"shape": "card"}, "shape 'card'"),
        ({"pieces": []}, "no pieces"),
        ({"pieces": ["fox"]}, "pieces[0] must be an object"),
        ({"pieces": [{**PIECES["pieces"][0], "id": None}]}, "pieces[0].id must be a word, not null"),
        ({"pieces": PIECES["pieces"][:1] * 2}, "two pieces have the id 'a'"),
        ({"pieces": [{**PIECES["pieces"][0], "front": "none.png"}]}, "no picture at 'none.png'"),
        ({"pieces": [{**PIECES["pieces"][0], "front": "n" * 300}]}, "File name too long"),
        ({"pieces": [{**PIECES["pieces"][0], "tags": [10]}]}, "tags must be two marker numbers"),
        ({"pieces": [{**PIECES["pieces"][0], "tags": [10, 999]}]}, "tag36h11 has no marker 999"),
        ({"marker_family": "tag99"}, "marker_family must be one of"),
        ({"tag_mm": float("nan")}, "tag_mm must be a finite number"),
    ],
)
def test_a_piece_set_that_cant_be_used_is_told(folder: Path, changed: dict[str, Any], said: str) -> None:
    path = written(folder, {**PIECES, **changed})
    assert said in told(lambda p: load_pieces(p.parent), path, ConfigError)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "\ufeff{}"]
)
def test_a_file_that_is_no_json_object_is_told(folder: Path, content: str) -> None:
    path = written(folder, content)
    told(load_layout, path, CalibrationError)
    told(load_camera, path, CalibrationError)
    told(lambda p: load_pieces(p.parent), path, ConfigError)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 1e308])
    | st.floats()
    | st.text(max_size=6),
    lambda v: st.lists(v, max_size=5) | st.dictionaries(st.text(max_size=4), v, max_size=4),
    max_leaves=12,
)


def places(value: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, v in inner for way in [(*so_far, key), *places(v, (*so_far, key))]]


@st.composite
def broken(draw: st.DrawFn, whole: dict[str, Any]) -> Any:
    """A good file with one or two of its values replaced by something odd, or left out."""
    content = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from(places(content)))
        inner = content
        for key in way:
            inner = inner[key]
        if isinstance(inner, dict) and draw(st.booleans()):
            del inner[last]
        else:
            inner[last] = draw(ODD)
        if not places(content):
            break
    return content


def strings(value: Any) -> list[str]:
    """Every key and every word in a JSON value."""
    if isinstance(value, dict):
        return [s for key, v in value.items() for s in (key, *strings(v))]
    if isinstance(value, list):
        return [s for v in value for s in strings(v)]
    return [value] if isinstance(value, str) else []


def jargon(said: str, content: Any) -> set[str]:
    """Python's words in a message, but for those that it only repeats out of the file."""
    repeated = {m.group() for text in strings(content) for m in JARGON.finditer(f"'{text}'")}
    repeated |= {m.group() for text in strings(content) for m in JARGON.finditer(text)}
    return {m.group() for m in JARGON.finditer(said)} - repeated


@pytest.mark.parametrize("word", ["True", "None", "dict", "'int'"])
def test_a_word_of_python_is_no_fault_only_where_the_file_has_it(word: str) -> None:
    assert jargon(f"{word} must be a number", {"a": [{word: 1}]}) == set()
    assert jargon(f"a must be a number, not {word}", {"a": [1]}) == {word}


def read_or_told(load: Load, content: Any, folder: Path, kind: type[RefereeError]) -> None:
    path = written(folder, content)
    try:
        load(path)
    except kind as refused:
        said = str(refused)
        assert "\n" not in said and said.isprintable() and str(path) in said
        assert not jargon(said, content), said


@settings(max_examples=100, deadline=None)
@given(content=broken(LAYOUT) | ODD)
def test_no_broken_layout_ends_in_anything_but_a_sentence(folder: Path, content: Any) -> None:
    read_or_told(load_layout, content, folder, CalibrationError)


@settings(max_examples=100, deadline=None)
@given(content=broken(CAMERA) | ODD)
def test_no_broken_camera_ends_in_anything_but_a_sentence(folder: Path, content: Any) -> None:
    read_or_told(load_camera, content, folder, CalibrationError)


@settings(max_examples=100, deadline=None)
@given(content=broken(PIECES) | ODD)
def test_no_broken_piece_set_ends_in_anything_but_a_sentence(folder: Path, content: Any) -> None:
    read_or_told(lambda p: load_pieces(p.parent), content, folder, ConfigError)


WRONG = (None, True, 7, -1.5, "word", [], [[]], ["x", None], {}, {"a": 1}, float("nan"), 10**400, 1e308)
"""One value of each kind; what a place doesn't take must be told with its place."""
OPTIONAL = "marker_family|marker_z_mm|box|box.lid|play_area_mm|table_edge_mm|dist|name|tag_mm|tag_center"
MAY_BE_NULL = re.compile(rf"{OPTIONAL}|pieces\[\d\]\.(animal|value|tags|tags\[\d\])")


def way(place: tuple[Any, ...]) -> str:
    """A place as a message names it: `pieces[0].tags[1]`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place).lstrip(".")


def kind(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return type(value).__name__
    return "number"


@pytest.mark.parametrize(
    ("load", "whole", "error"),
    [
        (load_layout, LAYOUT, CalibrationError),
        (load_camera, CAMERA, CalibrationError),
        (lambda p: load_pieces(p.parent), PIECES, ConfigError),
    ],
    ids=["layout", "camera", "pieces"],
)
def test_a_value_of_the_wrong_kind_is_told_with_its_place(
    folder: Path, load: Load, whole: dict[str, Any], error: type[RefereeError]
) -> None:
    for place in places(whole):
        *outer, last = place
        for wrong in WRONG:
            content = json.loads(json.dumps(whole))
            inner = content
            for key in outer:
                inner = inner[key]
            was, inner[last] = inner[last], wrong
            if wrong is None and (was is None or MAY_BE_NULL.fullmatch(way(place))):
                load(written(folder, content))
            elif kind(wrong) != kind(was) and not (was is None and kind(wrong) == "number"):
                assert way(place) in told(load, written(folder, content), error)
