"""The oracle of the L3 switch: bridge, IPv4 and IPv6 routing."""
