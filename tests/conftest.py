"""What every test shares: how hypothesis behaves, which tests keep to one worker, and the line that counts them."""

import pytest
from hypothesis import settings

# No test here is timed: a slow example on a busy machine is no failure. `print_blob` says how to run a failure again.
settings.register_profile("wenlan", deadline=None, print_blob=True)
settings.load_profile("wenlan")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """Keeps the tests of one file in one worker, and all that start a kernel in the same one."""
    for item in items:
        kernels = item.get_closest_marker("notebooks") is not None
        item.add_marker(pytest.mark.xdist_group("kernels" if kernels else item.path.stem))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """Says plainly how many tests ran; .ci/run repeats this line as its last."""
    count = {outcome: len(reports) for outcome, reports in terminalreporter.stats.items()}
    passed = count.get("passed", 0) + count.get("xfailed", 0)  # an expected failure did what it said
    failed = count.get("failed", 0) + count.get("error", 0) + count.get("xpassed", 0)
    terminalreporter.ensure_newline()
    terminalreporter.write_line(f"{passed} passed, {failed} failed, {count.get('skipped', 0)} skipped")
