"""The scratch project, made once for all tests that only read it."""

import pytest

from tests.harness.scratch import Scratch


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    return Scratch(tmp_path_factory.mktemp("scratch"))
