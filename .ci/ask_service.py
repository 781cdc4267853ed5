"""Wait until a service is ready, ask it one real question and check the answer.

Usage: ``ask_service.py URL SECONDS``; the standard library is all it needs.
"""

import json
import sys
import time
import urllib.error
import urllib.request

DEAL = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
"""North is balanced with 15 high-card points: one notrump in Standard American."""

url, seconds = sys.argv[1], float(sys.argv[2])
deadline = time.monotonic() + seconds
while True:
    try:
        urllib.request.urlopen(f"{url}/readyz", timeout=5).close()
        break
    except OSError as error:
        # HTTP errors (503 while loading) and refused connections alike
        if time.monotonic() > deadline:
            sys.exit(f"expected {url}/readyz to answer 200 within {seconds:g} s, got: {error}")
    time.sleep(0.5)

question = {"deals": [{"deal": DEAL, "dealer": "N", "vulnerability": "None"}], "mode": "first"}
request = urllib.request.Request(
    f"{url}/v1/auctions", json.dumps(question).encode(), {"Content-Type": "application/json"}
)
try:
    with urllib.request.urlopen(request, timeout=30) as reply:
        answer = json.load(reply)
except urllib.error.HTTPError as error:
    sys.exit(f"{request.full_url} answered {error.code}: {error.read().decode(errors='replace')}")
(result,) = answer["results"]
(auction,) = result["auctions"]
if result["total"] != 1 or auction["calls"][0] != "1N" or not auction["completed"]:
    sys.exit(f"expected one completed auction that opens 1N, got {answer!r}")
if not answer["table"]["digest"] or answer["backend"] not in {"cpu", "cuda", "reference"}:
    sys.exit(f"expected a table digest and a backend, got {answer!r}")
print(f"the service bids {' '.join(auction['calls'])}")
