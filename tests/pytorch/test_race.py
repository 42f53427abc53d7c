"""The measurements of `dof bench torch`, small: all ways agree, and the table has a row for each."""

import pytest
import torch

pytest.importorskip("rich", reason="tables need rich")

import dof.torch
from dof.bench.torch_races.races import RACES
from dof.bench.torch_races.run_races import require_equal, run_races


@pytest.mark.parametrize("name", RACES)
def test_all_ways_agree(name, monkeypatch):
    torch.set_default_dtype(torch.float32)
    monkeypatch.setattr(dof.torch, "compiled", lambda g, x: g)  # compiling is not what is tested here
    torch.manual_seed(0)
    ways = RACES[name](32)
    assert next(iter(ways)) == "dof" and len(ways) > 1
    require_equal([torch.as_tensor(build()()) for build in ways.values()])


def test_each_race_has_its_ways():
    assert sum(len(make(32)) for make in RACES.values()) == 44


def test_a_way_is_measured_in_a_process_of_its_own():
    torch.set_default_dtype(torch.float32)
    name = "heat 3-64-64-64-64-1, training step"
    table = run_races([name], rounds=1, scale=32)
    assert [row[:2] for row in table.rows] == [[name, way] for way in RACES[name](32)]
    assert all(float(milliseconds) > 0 for _, _, milliseconds, *_ in table.rows)
