"""What the three suites share: environments, tools, scoring, matchers, painting."""
