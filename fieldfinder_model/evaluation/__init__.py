"""Measure how well locators find the fields of pages with known fields."""
