"""One IPython shell for all tests of the magics, and a workbench of its own for each."""

import pytest
from IPython.testing import globalipapp


@pytest.fixture(scope="session")
def ipython():
    """A plain terminal IPython; there can be one in a process."""
    globalipapp.start_ipython()
    return globalipapp.get_ipython()


@pytest.fixture
def shell(ipython):
    """The shell with the extension loaded and no workbench open."""
    before = set(ipython.user_ns)
    ipython.run_line_magic("load_ext", "wenlan_lab")
    yield ipython
    if "wenlan_lab" in ipython.extension_manager.loaded:
        ipython.run_line_magic("unload_ext", "wenlan_lab")
    for name in set(ipython.user_ns) - before:
        del ipython.user_ns[name]


@pytest.fixture
def lab(shell, tmp_path):
    """The shell with an open workbench that needs no model."""
    shell.run_line_magic("wenlan", f"open --embedder hash {tmp_path / 'lab.wenlan'}")
    return shell
