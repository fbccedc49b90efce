"""Checks the answer about a stale packet: named.py STALE ANSWERS."""

import json
import sys
from pathlib import Path

import yaml

stale = json.loads(Path(sys.argv[1]).read_text())["packets"]
try:
    answer = yaml.safe_load(Path(sys.argv[2]).read_text())["stale"]
    found = stale.get(str(answer["packet"]), {})
    right = {
        "packet": int(bool(found)),
        "used": int(found.get("used") == answer["used"] and bool(found)),
        "current": int(found.get("current") == answer["current"] and bool(found)),
    }
except (KeyError, TypeError, yaml.YAMLError):
    right = {"packet": 0, "used": 0, "current": 0}
print(json.dumps(right))
