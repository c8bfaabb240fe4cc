"""What the tests of readers share: writing small inputs, finding the shared data, saying what was found."""

import pytest
from making import SHARED


@pytest.fixture
def write(tmp_path):
    """Write a file below the test's folder, from text or bytes; returns its path."""

    def put(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture
def shared():
    """The folder of real events beside the checkout, if there is one."""
    if not SHARED.is_dir():
        pytest.skip(f"no real events at {SHARED}")
    return SHARED
