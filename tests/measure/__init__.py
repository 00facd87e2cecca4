"""Measurements that are too long for the test command; each is a documented command of its own."""
