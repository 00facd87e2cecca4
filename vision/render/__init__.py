"""Our own renderer of tile faces and tables: no torch, no network, every picture from a seed.

It serves training, the bundled sample images, the benchmarks and the simulated table.  Fonts are never
part of the project: they come from installed packages, see ``fonts.py``.
"""
