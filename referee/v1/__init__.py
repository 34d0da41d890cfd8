"""Generated protocol code: see proto/referee/v1/ and `make proto`."""
