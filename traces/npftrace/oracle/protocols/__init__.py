"""What the RFCs say about each protocol, without an application's tables."""
