"""Explanations drawn as SVG pictures, for a README or a report."""

import io
import re
from collections.abc import Iterator
from html import escape
from typing import Final

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

PICTURE_WIDTH: Final = 92
_CHARACTER: Final = 8.4
_LINE: Final = 20
_MARGIN: Final = 20
_COLOURS: Final = ("black", "red", "green", "yellow", "blue", "magenta")
_CHUNK: Final = re.compile(r"\S+(?: \S+)*")


def make_picture() -> Console:
    """Return a console that records a picture. It does not depend on the terminal."""
    return Console(
        file=io.StringIO(),
        record=True,
        width=PICTURE_WIDTH,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )


def write_picture(picture: Console, title: str) -> bytes:
    """
    Return the picture as SVG.

    It loads no fonts from other servers, and follows the dark mode of the page around it.
    """
    return draw(picture.export_text(styles=True).strip("\n"), title).encode(errors="replace")


def draw(coloured: str, title: str) -> str:
    """
    Render lines with terminal colours as SVG.

    Every piece of text has its own position, so that columns align in any font.
    """
    lines = list(AnsiDecoder().decode(coloured))
    texts = [chunk for number, line in enumerate(lines) for chunk in _pieces(line, number)]
    width, height = round(PICTURE_WIDTH * _CHARACTER) + 2 * _MARGIN, len(lines) * _LINE + 2 * _MARGIN
    return _SVG.format(
        width=width,
        height=height,
        inner_width=width - 1,
        inner_height=height - 1,
        title=escape(title),
        texts="\n".join(texts),
    )


def _pieces(line: Text, number: int) -> Iterator[str]:
    y = _MARGIN + number * _LINE + 15
    column = 0
    for text, style, _ in line.render(Console(file=io.StringIO())):
        for chunk in _CHUNK.finditer(text):
            x = _MARGIN + (column + cell_len(text[: chunk.start()])) * _CHARACTER
            place = f'x="{x:.1f}" y="{y}" textLength="{cell_len(chunk[0]) * _CHARACTER:.1f}"'
            yield f"<text {place}{_class(style)}>{escape(chunk[0], quote=False)}</text>"
        column += cell_len(text)


def _class(style: Style | None) -> str:
    if style is None:
        return ""
    names = [name for name in ("bold", "dim") if getattr(style, name)]
    if style.color is not None and style.color.number is not None:
        names.append(_COLOURS[style.color.number])
    return f' class="{" ".join(names)}"' if names else ""


_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>{title}</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328 }}
rect {{ fill: #ffffff; stroke: #d1d9e0 }}
.bold {{ font-weight: bold }} .dim {{ fill: #59636e }}
.red {{ fill: #cf222e }} .green {{ fill: #116329 }} .yellow {{ fill: #7d4e00 }}
.blue {{ fill: #0550ae }} .magenta {{ fill: #8250df }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #f0f6fc }} rect {{ fill: #0d1117; stroke: #3d444d }}
  .dim {{ fill: #9198a1 }}
  .red {{ fill: #ff7b72 }} .green {{ fill: #3fb950 }} .yellow {{ fill: #d29922 }}
  .blue {{ fill: #58a6ff }} .magenta {{ fill: #bc8cff }}
}}
</style>
<rect x="0.5" y="0.5" width="{inner_width}" height="{inner_height}" rx="8" />
{texts}
</svg>
"""
