"""Writes down how each test ended, for `millrace judge python`: ending, test and reason in a line."""

import os

import pytest


def _line(text):
    return " ".join(str(text).split())[:300]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.skipped:
        ending, reason = "skipped", call.excinfo.value if call.excinfo else "no reason"
    elif report.failed:
        ending, reason = "unexpected", f"{report.when}: {call.excinfo.exconly(tryshort=True)}"
    elif report.when == "call":
        ending, reason = "passed", ""
    else:
        return
    name = os.environ.get("MILLRACE_JUDGED")
    if name:
        with open(name, "a", encoding="utf-8") as out:
            out.write(f"{ending}\t{_line(item.name)}\t{_line(reason)}\n")


def pytest_collectreport(report):
    """A file that cannot be read, or wants to be skipped as a whole."""
    name = os.environ.get("MILLRACE_JUDGED")
    if name and not report.passed:
        ending = "skipped" if report.skipped else "unexpected"
        reason = report.longrepr[2] if report.skipped else report.longrepr
        with open(name, "a", encoding="utf-8") as out:
            out.write(f"{ending}\t{_line(report.nodeid)}\t{_line(reason)}\n")
