"""The verbs of the command ``formgym``, one module for each panel of its help."""
