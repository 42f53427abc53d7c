"""The measurements of `dof bench torch`, small: all ways agree, and the table has a row for each."""

import pytest
import torch

pytest.importorskip("rich", reason="tables need rich")

from dof.bench import torch_race


def test_all_ways_agree(monkeypatch):
    torch.set_default_dtype(torch.float32)
    monkeypatch.setattr(torch_race.dof, "compiled", lambda g, x: g)  # compiling is not what is tested here
    found = torch_race.races(scale=32)
    table = torch_race.run_races(found, rounds=1)
    assert len(table.rows) == sum(len(race.ways) for race in found) == 24
