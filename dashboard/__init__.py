"""The pages: they show what cluster computed."""
