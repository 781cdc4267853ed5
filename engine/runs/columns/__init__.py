"""Frames of deals with further columns: what hands are worth, double dummy, all that is known."""
