"""A simulated table: players led by the solver, hands that carry tiles, a camera over it, and the truth of all of it.

``players`` decide, ``round`` keeps the true game, ``layout`` says where sets lie, ``surroundings`` what is around them,
``timeline`` what moves when, ``table`` joins them, ``camera`` shows them as a live camera would, ``record`` writes them
down; ``drive`` plays them before a live table, and ``figures`` counts what came of it.
"""
