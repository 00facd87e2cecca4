"""The steps from an empty database to today's tables, in the order of their numbers."""
