"""Commands that ask a question: auctions, calls, and hands not seen."""
