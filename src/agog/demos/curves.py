"""Learning curves as a PNG file, drawn with Pillow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agog.demos.options import DemoError
from agog.io.images import pillow

if TYPE_CHECKING:
    import numpy as np

_WIDTH, _HEIGHT = 800, 300  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 30, 40, 40  # margins of a panel
_FINER = 2  # lines are drawn this much larger, and come out smooth
_SMOOTHED = 50  # windows of the running mean of the losses
_TICKS = 5
_INK, _GRID, _BLUE, _PALE = "#333333", "#dddddd", "#1f5fa8", "#b9d0ea"


def write(path: str, losses: list[float], measures: dict[str, list[tuple[int, float]]]) -> None:
    """Draw the loss of each step, and below it each measure, given as (steps done, value).

    Raises DemoError where the file cannot be written.
    """
    panels = [_loss_panel(losses)]
    for name, points in measures.items():
        steps, values = zip(*points, strict=True)
        panels.append(_panel(name, [(_BLUE, steps, values)]))
    image = pillow().new("RGB", (_WIDTH, _HEIGHT * len(panels)), "white")
    for number, panel in enumerate(panels):
        image.paste(panel.image(), (0, number * _HEIGHT))
    try:
        image.save(path)
    except OSError as error:
        raise DemoError(f"--plot {path}: {error.strerror or error}") from None


@dataclass(frozen=True)
class _Axis:
    """From values in [low, high] to pixels."""

    low: float
    high: float
    start: int
    end: int

    def at(self, value: Any) -> Any:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


@dataclass(frozen=True)
class _Panel:
    """Lines of some colours over a grid, under a title."""

    title: str
    lines: list[tuple[str, np.ndarray, np.ndarray]]

    def image(self) -> Any:
        from PIL import ImageDraw, ImageFont

        large = _WIDTH * _FINER, _HEIGHT * _FINER
        image = pillow().new("RGB", large, "white")
        x, y = self._axes()
        self._draw_lines(ImageDraw.Draw(image), x, y)
        image = image.resize((_WIDTH, _HEIGHT), pillow().Resampling.LANCZOS)
        draw, font = ImageDraw.Draw(image), ImageFont.load_default(13)
        draw.text((_LEFT, _TOP - 10), f"{self.title} by step", _INK, font, "ls")
        for tick in ticks(x.low, x.high):
            draw.text((x.at(tick), y.start + 18), f"{tick:,.5g}", _INK, font, "ms")
        for tick in ticks(y.low, y.high):
            draw.text((_LEFT - 8, y.at(tick)), f"{tick:,.5g}", _INK, font, "rm")
        return image

    def _axes(self) -> tuple[_Axis, _Axis]:
        import numpy as np

        steps = np.concatenate([steps for _, steps, _ in self.lines])
        values = np.concatenate([values for _, _, values in self.lines])
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        return _Axis(0, max(steps), _LEFT, right), _Axis(*_range(values), bottom, _TOP)

    def _draw_lines(self, draw: Any, x: _Axis, y: _Axis) -> None:
        import numpy as np

        for tick in ticks(x.low, x.high):
            _line(draw, [(x.at(tick), y.start), (x.at(tick), y.end)], _GRID)
        for tick in ticks(y.low, y.high):
            _line(draw, [(x.start, y.at(tick)), (x.end, y.at(tick))], _GRID)
        for colour, steps, values in self.lines:
            points = np.stack([x.at(steps), y.at(values)], -1)
            _line(draw, points, colour, 2)
            if len(points) <= _SMOOTHED:
                for across, down in points * _FINER:
                    draw.circle((across, down), 3 * _FINER, colour)


def ticks(low: float, high: float) -> np.ndarray:
    """Round numbers within [low, high], 1, 2 or 5 of a power of ten apart.

    >>> agog.demos.curves.ticks(0.0, 1.0).tolist()
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    import numpy as np

    rough = (high - low) / _TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    apart = power * min((n for n in (1, 2, 5, 10) if n * power >= rough * 0.999), default=10)
    first, last = np.ceil(low / apart - 1e-9), np.floor(high / apart + 1e-9)
    return np.round(np.arange(int(first), int(last) + 1) * apart, 12)


def _loss_panel(losses: list[float]) -> _Panel:
    """Each loss pale, their running mean over them."""
    import numpy as np

    window = max(1, len(losses) // _SMOOTHED)
    sums = np.cumsum([0.0, *losses])
    means = (sums[window:] - sums[:-window]) / window
    steps = np.arange(1, len(losses) + 1)
    return _panel("loss", [(_PALE, steps, losses), (_BLUE, steps[window - 1 :], means)])


def _panel(title: str, lines: list[tuple[str, Any, Any]]) -> _Panel:
    """A panel of the finite points; DemoError where there are none."""
    import numpy as np

    kept = []
    for colour, steps, values in lines:
        finite = np.isfinite(values)
        kept.append((colour, np.asarray(steps)[finite], np.asarray(values)[finite]))
    if not any(len(steps) for _, steps, _ in kept):
        raise DemoError(f"there is no learning curve to draw: no {title} is finite")
    return _Panel(title, kept)


def _range(values: np.ndarray) -> tuple[float, float]:
    """From the smallest to the largest; never empty."""
    low, high = float(values.min()), float(values.max())
    if low < high:
        return low, high
    margin = abs(low) / 10 or 1.0
    return low - margin, high + margin


def _line(draw: Any, points: Any, colour: str, width: int = 1) -> None:
    flat = [(float(x) * _FINER, float(y) * _FINER) for x, y in points]
    draw.line(flat, colour, width * _FINER, joint="curve")
