"""The colours of plots: those of the design, with enough contrast in light and dark, also for the colour-blind."""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from service.plots.views import figures

ROOT = Path(__file__).parents[3]
TOKENS = (ROOT / "web" / "src" / "design" / "tokens.css").read_text(encoding="utf-8")
STYLE = (Path(figures.__file__).parent / "templates" / "plot.css").read_text(encoding="utf-8")
PAIRS = {
    name: (light, dark) for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", TOKENS)
}
PARTS = [f"plot-{number}" for number in range(1, 6)]
HEAT = [f"plot-{side}-{level}" for side in ("win", "loss") for level in range(1, 5)]
SCHEMES = {"light": 0, "dark": 1}
Colour = tuple[float, float, float]


def linear(colour: str) -> Colour:
    """Return the light of a colour: red, green and blue from 0 to 1."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG defines it."""
    lighter, darker = sorted(
        (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05 for red, green, blue in map(linear, (one, other))),
        reverse=True,
    )
    return lighter / darker


# Machado, Oliveira and Fernandes (2009), for the complete absence of one kind of cone.
SEEN_BY = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopes": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopes": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopes": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def lab(light: Colour) -> Colour:
    """Return a colour in CIE Lab, in which distances are about what people see."""
    red, green, blue = (min(1, max(0, part)) for part in light)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    a, b, c = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * b - 16, 500 * (a - b), 200 * (b - c)


def seen(colour: str, by: str) -> Colour:
    light = linear(colour)
    red, green, blue = (sum(weight * part for weight, part in zip(row, light, strict=True)) for row in SEEN_BY[by])
    return lab((red, green, blue))


def variables(style: str) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"var\(--([\w-]+), (#\w+)\)", style)


def test_files_have_the_light_colours_of_the_design() -> None:
    colours = dict(variables(STYLE))
    assert set(PARTS) | set(HEAT) <= colours.keys()
    assert colours == {name: PAIRS[name][0] for name in colours}
    assert "#" not in re.sub(r"var\(--[\w-]+, #\w+\)", "", STYLE)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lines_and_bars_contrast_with_the_ground(scheme: str) -> None:
    for name in (*PARTS, "line-strong"):
        for ground in ("raised", "ground"):
            colours = PAIRS[name][SCHEMES[scheme]], PAIRS[ground][SCHEMES[scheme]]
            assert contrast(*colours) >= 3, (name, ground)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_figures_in_cells_can_be_read(scheme: str) -> None:
    for name in HEAT:
        assert contrast(PAIRS[name][SCHEMES[scheme]], PAIRS["text"][SCHEMES[scheme]]) >= 4.5, name


@pytest.mark.parametrize("by", SEEN_BY)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_differ_enough(scheme: str, by: str) -> None:
    """A distance of 2.3 is just noticeable. The line that is chosen differs from the grey ones as parts of bars do."""
    for one, other in (*combinations(PARTS, 2), ("plot-1", "line-strong")):
        colours = [seen(PAIRS[name][SCHEMES[scheme]], by) for name in (one, other)]
        distance = sum((a - b) ** 2 for a, b in zip(*colours, strict=True)) ** 0.5
        assert distance >= 18, (one, other, distance)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("by", SEEN_BY)
def test_points_won_and_lost_have_different_colours(scheme: str, by: str) -> None:
    for level in (2, 3, 4):
        colours = [seen(PAIRS[f"plot-{side}-{level}"][SCHEMES[scheme]], by) for side in ("win", "loss")]
        assert sum((a - b) ** 2 for a, b in zip(*colours, strict=True)) ** 0.5 >= 15
