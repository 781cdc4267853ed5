"""The benchmark of the loaders measures what it says, here on a few files of ours."""

import json

import pytest

from benchmarks.loaders import main
from bidcascade.loaders import random_deals, write_lin, write_pbn


@pytest.mark.slow
def test_measurements(tmp_path, capsys):
    (tmp_path / "lin" / "vugraph").mkdir(parents=True)
    (tmp_path / "pbn").mkdir()
    for number in range(3):
        deals = random_deals(5, seed=number)
        write_lin(deals, tmp_path / "lin" / "vugraph" / f"{number}.lin")
        write_pbn(deals, tmp_path / "pbn" / f"{number}.pbn")
    assert main(["--repeat", "2", "--data", str(tmp_path)]) == 0
    lines, _, table = capsys.readouterr().out.partition("\n\n")
    results = {result["measurement"]: result for result in map(json.loads, lines.splitlines())}
    for kind in ("lin", "pbn"):
        speed = results[f"{kind} speed"]
        assert (speed["files"], speed["boards"], speed["rejects"]) == (3, 15, 0)
        for times in (1, 4, 16):
            memory = results[f"{kind} memory, files x{times}"]
            assert memory["boards"] == 15 * times
            assert memory["MiB peak"] >= memory["MiB before"] > 0
    assert table.count("\n") == len(results) + 1


def test_no_data_is_said(tmp_path, capsys):
    assert main(["--data", str(tmp_path / "nowhere")]) == 2
    assert "no real data" in capsys.readouterr().err
