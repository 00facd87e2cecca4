"""Tests of the rules floor."""
