"""Playing cards: found by the index in their corners, read with a deck that was taught from a photo."""
