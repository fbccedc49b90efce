"""The kinds of traffic, by the name on the command line."""

from npftrace.make import firewall, ipv4, mpls

KINDS = {"ipv4": ipv4, "firewall": firewall, "mpls": mpls}
