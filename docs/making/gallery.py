"""`python docs/making/gallery.py folder`: the picture of the gallery, from what examples/gallery/run.py wrote there."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

COLUMNS = 7
PICTURE = Path(__file__).parents[1] / "assets" / "gallery.png"


def picture(folder: Path) -> Figure:
    """A panel for each problem, without axes: lines in one dimension, colours in two."""
    found = sorted(folder.glob("*.npz"))
    rows = -(-len(found) // COLUMNS)
    figure = Figure(figsize=(1.6 * COLUMNS, 1.75 * rows), layout="constrained")
    panels = np.ravel(figure.subplots(rows, COLUMNS))
    for panel in panels:
        panel.set_axis_off()
    for panel, path in zip(panels, found, strict=False):
        draw(panel, np.load(path))
        panel.set_title(path.stem.replace("_", " "), fontsize=9)
    return figure


def draw(panel, data) -> None:
    axes = [data[name] for name in ("axis0", "axis1") if name in data]
    if len(axes) == 1:
        panel.plot(axes[0], data["values"].reshape(len(axes[0]), -1), lw=1.5)
    else:
        values = data["values"].reshape(len(axes[1]), len(axes[0]))
        panel.pcolormesh(*axes, np.ma.masked_invalid(values), shading="gouraud", cmap="viridis")


if __name__ == "__main__":
    picture(Path(sys.argv[1])).savefig(PICTURE, dpi=110)
