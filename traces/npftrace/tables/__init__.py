"""Control files, and the tables that they set up: routes, rules, labels."""
