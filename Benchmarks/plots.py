"""A line chart as SVG, for light and dark pages."""

import math

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 40, 44
COLORS = ("#2563eb", "#c2410c", "#15803d", "#7c3aed")
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #333; } .title { font-size: 14px; font-weight: 600; }
line { stroke: #bbb; } path { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) { text { fill: #ddd; } line { stroke: #555; } }
"""


def words(number):
    for unit, name in ((1_000_000, " M"), (1_000, " k")):
        if number >= unit:
            return f"{number / unit:g}{name}"
    return f"{number:g}"


def ticks(high):
    """Some round numbers from 0 to `high`."""
    step = 10 ** math.floor(math.log10(high))
    step = next(step * part for part in (0.2, 0.5, 1, 2) if high / (step * part) <= 5)
    return [step * at for at in range(int(high / step) + 2)]


def chart(title, x_name, y_name, series):
    """`series`: names with their points; x is logarithmic, y begins at 0."""
    points = [point for line in series.values() for point in line]
    low, high = (math.log10(pick(x for x, _ in points)) for pick in (min, max))
    marks = ticks(max(y for _, y in points))

    def x_of(x):
        return LEFT + (math.log10(x) - low) / max(high - low, 1e-9) * (WIDTH - LEFT - RIGHT)

    def y_of(y):
        return HEIGHT - BOTTOM - y / marks[-1] * (HEIGHT - TOP - BOTTOM)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
             f"<title>{title}</title><style>{STYLE}</style>",
             f'<text class="title" x="{LEFT}" y="18">{title}</text>',
             f'<text x="{LEFT}" y="34">{y_name}</text>',
             f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">{x_name}</text>']
    for mark in marks:
        y = y_of(mark)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{words(mark)}</text>')
    for x in sorted({x for x, _ in points}):
        parts.append(f'<text x="{x_of(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                     f"{words(x)}</text>")
    for color, (name, line) in zip(COLORS, series.items()):
        path = " ".join(f"{'L' if at else 'M'}{x_of(x):.1f} {y_of(y):.1f}" for at, (x, y) in enumerate(line))
        parts.append(f'<path d="{path}" stroke="{color}"/>')
        parts.append(f'<text x="{x_of(line[-1][0]) + 6:.1f}" y="{y_of(line[-1][1]) + 4:.1f}" '
                     f'style="fill:{color}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])
