"""Commands about bidding tables, and the evidence of archives for them."""
