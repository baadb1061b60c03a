"""Throughput over sequence length as a PNG, with nothing but NumPy."""
import struct
import zlib

import numpy as np

# 3 x 5 dots a character: a row a digit, from the top, its bits the dots.
_FONT = {"0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71111", "8": "75757",
         "9": "75717", " ": "00000", "/": "11244", "=": "07070", ".": "00002", "(": "24442", ")": "21112", ",": "00024", "-": "00700",
         "a": "07157", "b": "44757", "c": "07447", "d": "11757", "e": "07647", "f": "34644", "g": "07571", "h": "44755", "i": "20222",
         "k": "45655", "l": "62227", "m": "05775", "n": "06555", "o": "07557", "p": "07574", "q": "07571", "r": "06444", "s": "03616",
         "t": "27223", "u": "05557", "v": "05552", "w": "05577", "x": "05225", "y": "05571", "z": "07247", "G": "74557", "F": "74744",
         "S": "74717", "B": "65656", "E": "74647",
         "R": "65655", "T": "72222"}


def _write_png(path, pixels):
    """PIXELS is height x width x 3 of uint8."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, 3 * width)], axis=1).tobytes()

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class _Canvas:
    def __init__(self, width, height):
        self.pixels = np.full((height, width, 3), 255, np.uint8)

    def box(self, x, y, width, height, colour):
        self.pixels[max(0, y):y + height, max(0, x):x + width] = colour

    def line(self, x0, y0, x1, y1, colour):
        for t in np.linspace(0, 1, 2 * max(abs(x1 - x0), abs(y1 - y0), 1)):
            self.box(round(x0 + t * (x1 - x0)), round(y0 + t * (y1 - y0)), 2, 2, colour)

    def text(self, x, y, words, scale=2, colour=(60, 60, 60)):
        for i, letter in enumerate(words):
            for row, dots in enumerate(_FONT.get(letter, "00000")):
                for column in range(3):
                    if int(dots, 8) >> (2 - column) & 1:
                        self.box(x + scale * (4 * i + column), y + scale * row, scale, scale, colour)


def _step(top):
    """A round distance that cuts 0..TOP in four to eight."""
    for step in (s * 10 ** e for e in range(-2, 6) for s in (1, 2, 5)):
        if top / step <= 8:
            return step
    return top


def draw_throughput(path, points, title):
    """POINTS are (sequence length, GF/s, label)."""
    width, height, left, right, upper, lower = 900, 540, 80, 30, 50, 60
    canvas = _Canvas(width, height)
    most_x, most_y = 1.05 * max(p[0] for p in points), 1.1 * max(p[1] for p in points)

    def at(x, y):
        return (left + round((width - left - right) * x / most_x), height - lower - round((height - upper - lower) * y / most_y))

    for tick in np.arange(0, most_y, _step(most_y)):
        x, y = at(0, tick)
        canvas.box(x, y, width - left - right, 1, (225, 225, 225))
        canvas.text(8, y - 5, f"{tick:g}".rjust(7))
    for tick in np.arange(0, most_x, _step(most_x)):
        x, y = at(tick, 0)
        canvas.text(x - 8, y + 10, f"{tick:g}")
    canvas.box(left, upper, 1, height - upper - lower, (0, 0, 0))
    canvas.box(left, height - lower, width - left - right, 1, (0, 0, 0))
    canvas.text(left, 18, title)
    canvas.text(width // 2 - 60, height - 24, "sequence length")
    canvas.text(8, 34, "GF/s")
    ordered = [at(x, y) for x, y, _ in sorted(points)]
    for (x0, y0), (x1, y1) in zip(ordered, ordered[1:]):
        canvas.line(x0, y0, x1, y1, (170, 195, 225))
    for x, y, label in points:
        px, py = at(x, y)
        canvas.box(px - 4, py - 4, 9, 9, (31, 90, 160))
        canvas.text(px - 4, py - 20, label)
    _write_png(path, canvas.pixels)
