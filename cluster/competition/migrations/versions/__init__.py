"""One module a change, in the order in which `down_revision` chains them."""
