"""Generators: one module a kind of traffic, each with `add_arguments`, which
declares its options, and `run`, which writes the files."""

from npftrace.make import firewall, ipv4, mpls

KINDS = {"ipv4": ipv4, "firewall": firewall, "mpls": mpls}
