"""Data sets of the user's own: FUNSD, XFUND, Form-NLU and the published FormGym."""
