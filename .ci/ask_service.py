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


def wait_until_ready(url: str, seconds: float) -> None:
    """Return when ``/readyz`` answers 200; end the program if it does not in time."""
    deadline = time.monotonic() + seconds
    last = "no answer"
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
                if answer.status == 200:
                    return
                last = f"status {answer.status}"
        except OSError as error:
            # HTTP errors (503 while loading) and refused connections alike
            last = str(error)
        time.sleep(0.5)
    sys.exit(f"expected {url}/readyz to answer 200 within {seconds:g} s, got: {last}")


def ask(url: str, question: dict[str, object]) -> dict[str, object]:
    """Send a JSON request and return the JSON answer."""
    request = urllib.request.Request(
        url,
        data=json.dumps(question).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{url} answered {error.code}: {error.read().decode(errors='replace')}")


def check(answer: dict[str, object]) -> str:
    """Return North's auction; end the program if the answer is not as promised."""
    (result,) = answer["results"]
    (auction,) = result["auctions"]
    if result["total"] != 1 or auction["calls"][0] != "1N" or not auction["completed"]:
        sys.exit(f"expected one completed auction that opens 1N, got {answer!r}")
    if not answer["table"]["digest"] or answer["backend"] not in {"cpu", "cuda", "reference"}:
        sys.exit(f"expected a table digest and a backend, got {answer!r}")
    return " ".join(auction["calls"])


def main() -> None:
    """Run the check from the command line."""
    url, seconds = sys.argv[1], float(sys.argv[2])
    wait_until_ready(url, seconds)
    deal = {"deal": DEAL, "dealer": "N", "vulnerability": "None"}
    answer = ask(f"{url}/v1/auctions", {"deals": [deal], "mode": "first"})
    print(f"the service bids {check(answer)}")


if __name__ == "__main__":
    main()
