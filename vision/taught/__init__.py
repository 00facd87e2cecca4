"""What a club's own box looks like, learned from one or two photos of it."""
