"""What a system is about, gathered from its text: card, book, outline, topics."""
