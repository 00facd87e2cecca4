"""The game as a log of events: decide what a command leads to, evolve the state by what happened."""
