"""Users' own copies of data sets: FUNSD, XFUND, Form-NLU, the published FormGym."""
