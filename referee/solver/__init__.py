"""The exact solver: what can be laid, and how.

What is asked, from the outside in:

- ``plays``: all tiles in sets, the best play, the best opening; regular jokers, the table rearranged freely.
- ``special``: one set with jokers of any kind, and the best opening of a rack that holds special ones.
- ``lawful``: the best play that a player may make by the rules of a turn, and whether there is one.
- ``repair``: the fewest tiles to move so that an illegal table is legal.

How ``plays`` is answered, from the question to the sets:

- ``task``: what must, may and need not be laid, and what it costs to leave it; the decisions at one number.
- ``solve``: chooses how to search (from 1 up, from 13 down, round the circle) and hands back the sets.
- ``search``: goes number by number, the cheapest way first (A*).
- ``columns``: each colour by itself: what it may do at a number, and the least that the rest of it costs.
- ``runs``, ``groups``: which runs are open and how they go on; how tiles of one number are shared out in groups.
- ``build``: turns the decisions into sets as they are laid.

The dynamic program over the numbers is that of van Rijn, Takes and Vis, "The Complexity of Rummikub Problems"; here
it is searched best first, led by what each colour would cost alone.
"""
