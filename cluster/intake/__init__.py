"""Taking in what strangers send: archives of bots, and builds of them."""
