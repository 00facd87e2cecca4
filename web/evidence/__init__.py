"""What is kept of each turn, so that a ruling can be looked at again: pictures, readings, rulings, chained by hashes.

``turn`` says what a live table hands over, ``keeper`` keeps it (``background``: without keeping the game waiting): each
``record`` and each ``picture`` is a file on a ``shelf``, a folder or a zip file.  ``check`` finds what was changed
since, ``again`` rules once more, ``archive`` packs a game for an appeal and ``retention`` lets old pictures go.
``desk`` does the work of the commands on it, ``words`` has their sentences.
"""
