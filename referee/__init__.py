"""The referee: the rules, the table that steps matches, the gRPC service."""
