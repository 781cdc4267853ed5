"""What calls and auctions mean, in words for people."""
