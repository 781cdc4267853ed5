"""Archives: boards kept to be asked, by auction, hands, players and what systems bid on them."""
