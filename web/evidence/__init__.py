"""What is kept of each turn, so that a ruling can be looked at again: pictures, readings, rulings, chained by hashes.

``turn`` says what a live table hands over, ``keeper`` keeps it (``background``: without keeping the game waiting),
``check`` finds what was changed since, ``again`` rules once more, ``archive`` packs a game for an appeal and
``retention`` lets old pictures go.
"""
