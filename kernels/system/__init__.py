"""Places of a bidding system as rows: what may be called there, what a hand calls, what follows.

``arrays`` draws the rows, ``questions`` answers what a condition asks of a place, ``expand`` finds
the entries of a place, ``advance`` the place behind a call, ``walk`` takes deals from place to
place. The arrays are filled by :mod:`bidcascade.systems.program`, which knows the text.
"""
