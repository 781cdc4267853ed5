"""From announced auctions to a bidding table: every prefix of every auction becomes an entry."""
