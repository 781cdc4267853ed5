"""Cards of the play: what a player sees, layouts of what he does not, and the card he chooses."""
