"""What a bot author sees: the Python SDK and the reference bots."""
