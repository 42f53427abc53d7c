"""Tangents that keep, for each element, only the directions it depends on."""
