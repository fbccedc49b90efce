"""The kinds of traffic by their name on the command line."""

from npftrace.make import firewall, ipv4, ipv6, l2, mpls

TRAFFIC_KINDS = {
    "ipv4": ipv4,
    "ipv6": ipv6,
    "l2": l2,
    "firewall": firewall,
    "mpls": mpls,
}
