"""Systems in the files of other programs: BML, cards of Bridge Bidding Analyser, alerts of BBO."""
