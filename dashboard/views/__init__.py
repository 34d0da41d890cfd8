"""The pages: they only lay out."""
