"""Random and hostile actions in every environment, with checks after each."""
