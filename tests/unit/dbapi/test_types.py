"""The types that `py.typed` promises: a sample client passes mypy --strict, and a wrong one does not."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "typed"


@pytest.mark.parametrize(("name", "n_errors"), [("client.py", 0), ("wrong.py", 4)])
def test_a_client_under_mypy(name, n_errors):
    api = pytest.importorskip("mypy.api")
    out, _err, _status = api.run(["--strict", "--no-error-summary", str(FOLDER / name)])
    assert out.count("error:") == n_errors, out
