"""Pictures of training: learning curves as PNG, and a policy at work as GIF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from ....envs.core.grounding import GroundingPage
from ....envs.core.locators import Locator
from ....envs.core.text_sprites import font

_HIT, _MISS, _ASKED = (0, 140, 70), (210, 40, 40), (60, 90, 220)
_SECONDS = 0.9
_WIDTH, _CAPTION = 640, 34


def draw_curves(curves: Mapping[tuple[int, str], Mapping[str, Sequence[tuple[int, float]]]], path: Path) -> None:
    """Draw the curves of a run: a panel a curve, a line a stage and seed.

    Args:
        curves: by seed and stage, by name: steps and values.
        path: the PNG file.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for of_stage in curves.values() for name in of_stage))
    figure = Figure(figsize=(5.2 * max(len(names), 1), 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    stages = list(dict.fromkeys(stage for _, stage in curves))
    for panel, name in zip(np.atleast_1d(figure.subplots(1, max(len(names), 1))), names, strict=False):
        for (seed, stage), of_stage in curves.items():
            if of_stage.get(name):
                steps, values = zip(*_smoothed(of_stage[name]), strict=True)
                label = stage if seed == min(one for one, _ in curves) else None
                style = {"color": f"C{stages.index(stage)}", "marker": "." if len(steps) == 1 else None}
                panel.plot(steps, values, linewidth=1.2, label=label, **style)
        panel.set(title=name, xlabel="steps")
        panel.grid(alpha=0.3)
        if panel.lines:
            panel.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=130, metadata={"Software": None})


def _smoothed(curve: Sequence[tuple[int, float]], points: int = 60) -> list[tuple[float, float]]:
    """The means of at most 60 equal parts of a curve."""
    parts = np.array_split(np.array(curve, float), min(points, len(curve)))
    return [(float(part[-1, 0]), float(part[:, 1].mean())) for part in parts]


def draw_at_work(locator: Locator, page: GroundingPage, path: Path) -> None:
    """Draw a locator that points at one target of a page after another as an animated GIF."""
    frames = _frames(locator, page)
    palette = _palette(frames[0])
    shown = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    shown[0].save(path, save_all=True, append_images=shown[1:], duration=round(1000 * _SECONDS), loop=0)


def _palette(frame: Image.Image) -> Image.Image:
    """A palette for all frames, with the colours of the points.

    Palettes of each frame lack these, and make the file larger.
    """
    sample = frame.copy()
    draw = ImageDraw.Draw(sample)
    for row, colour in enumerate((_HIT, _MISS, _ASKED)):
        draw.rectangle((0, 80 * row, 60, 80 * row + 80), fill=colour)
    return sample.quantize(128)


def _frames(locator: Locator, page: GroundingPage) -> list[Image.Image]:
    scale = _WIDTH / page.image.shape[1]
    bottom = min(page.image.shape[0], round(max(target.box[3] for target in page.targets)) + 80)
    picture = Image.fromarray(page.image[:bottom]).resize((_WIDTH, round(bottom * scale)), Image.Resampling.BOX)
    found = locator.locate_all(page.image, [target.name for target in page.targets])
    frames = []
    for target, detections in zip(page.targets, found, strict=True):
        frame = Image.new("RGB", (_WIDTH, picture.height + _CAPTION), "white")
        frame.paste(picture, (0, _CAPTION))
        draw = ImageDraw.Draw(frame)
        draw.text((10, 8), target.name[:80], "black", font("Arimo", 15))
        left, top, right, lower = (side * scale for side in target.box)
        draw.rectangle((left, top + _CAPTION, right, lower + _CAPTION), outline=_ASKED, width=2)
        if detections:
            x0, y0, x1, y1 = (side * scale for side in detections[0].box)
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            colour = _HIT if left <= x <= right and top <= y <= lower else _MISS
            draw.ellipse((x - 7, y - 7 + _CAPTION, x + 7, y + 7 + _CAPTION), fill=colour, outline="white", width=2)
        frames.append(frame)
    return frames
