"""Lists the packets that left by a port which an update had replaced.

stale.py TRACE OUT CONTROL prints, as JSON, the number of each such packet with the
port it used and the port it should have used. Packets that arrive within 64 packets
of an update were in flight with it: they may see the old value or the new one.
"""

import json
import re
import sys
from pathlib import Path

from npftrace.frames.capture import read_capture

IN_FLIGHT = 64
CALL = re.compile(r"(?:@packet\s+(\d+)\s+)?port_set\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")

trace, out, control = (Path(name) for name in sys.argv[1:4])
updates = []
for line, text in enumerate(control.read_text().splitlines(), 1):
    if not (text := text.partition("#")[0].strip()):
        continue
    if not (call := CALL.fullmatch(text)):
        sys.exit(f"{control}:{line}: write [@packet NUMBER] port_set(CLASS, PORT)")
    updates.append(tuple(int(number or 0) for number in call.groups()))
left_by = {frame.data: frame.port for frame in read_capture(out, 4).frames}
stale = {}
for number, frame in enumerate(read_capture(trace, 4).frames):
    kind = frame.data[13] & 15
    known = [port for at, of, port in updates if of == kind and at <= number]
    settled = [
        port for at, of, port in updates if of == kind and at + IN_FLIGHT <= number
    ]
    used = left_by.get(frame.data)
    if used is not None and known and settled == known and used != known[-1]:
        stale[str(number)] = {"used": used, "current": known[-1]}
print(json.dumps({"count": len(stale), "packets": stale}))
