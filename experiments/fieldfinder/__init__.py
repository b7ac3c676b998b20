"""``formgym fieldfinder``: data, training and evaluation of locators."""
