"""Run by `make test-wheel` in an empty environment: what is installed is whole, and works.

use_the_wheel.py FOLDER    the folder with the wheel
"""

import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import jax.numpy as jnp

import dof

(wheel,) = Path(sys.argv[1]).glob("dof-*.whl")
names = zipfile.ZipFile(wheel).namelist()
packages = {name.split("/")[0] for name in names if ".dist-info" not in name}
assert packages == {"dof"}, packages
assert "dof/py.typed" in names
assert not [name for name in names if "test" in name or name.endswith((".so", ".pyc"))], names

assert "site-packages" in dof.__file__, dof.__file__
assert version("dof") == dof.__version__ == wheel.name.split("-")[1]
assert (Path(dof.__file__).parent / "py.typed").is_file()
assert dof.laplacian(lambda x: jnp.sum(x**3))(jnp.array([1.0, 2.0])) == 18
assert dof.pde.Interval(0, 1).size == 1
print(f"dof {dof.__version__} from its wheel works")
