"""Commands about the texts of systems: shown, checked, printed, priced, tuned."""
