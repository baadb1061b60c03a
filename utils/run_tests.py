#!/usr/bin/env python3
"""Runs the tests of a build tree, those of ctest (GoogleTest, examples) and those of lit, and counts them together.

    run_tests.py BUILD [--jobs N]

The last line is "N passed, N failed, N skipped".  A suite that could not run counts as one failure: no test may vanish silently.
"""
import argparse
import collections
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

Counts = collections.Counter


def run_ctest(build, jobs, folder):
    """Counts by passed, failed, skipped; and the names of what failed."""
    report = os.path.join(folder, "ctest.xml")
    done = subprocess.run(["ctest", "--test-dir", build, "-j", str(jobs), "--output-on-failure", "--no-tests=ignore",
                           "--output-junit", report], stdin=subprocess.DEVNULL)
    counts, failed = Counts(), []
    if not os.path.exists(report):
        listed = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if "Total Tests: 0" in listed.stdout:
            return counts, failed
        return Counts(failed=1), ["ctest wrote no report"]
    for case in xml.parse(report).getroot().iter("testcase"):
        status, skipped = case.get("status"), case.find("skipped")
        # A test whose program was not built is "notrun" too, and a failure.
        if status == "disabled" or (status == "notrun" and skipped is not None and skipped.get("message", "").startswith("SKIP_")):
            counts["skipped"] += 1
        elif status == "run" and case.find("failure") is None:
            counts["passed"] += 1
        else:
            counts["failed"] += 1
            failed.append(case.get("name"))
    if done.returncode and not failed:
        counts["failed"] += 1
        failed.append(f"ctest ended with {done.returncode}")
    return counts, failed


LIT_CODES = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "skipped", "SKIPPED": "skipped",
             "EXCLUDED": "skipped"}


def run_lit(build, jobs, folder):
    tests = os.path.join(build, "test")
    if not os.path.exists(os.path.join(tests, "lit.site.cfg.py")):
        return Counts(failed=1), ["the build has no lit configuration"]
    lit = next((l for l in ("/usr/lib/llvm-22/bin/lit", shutil.which("lit") or "") if os.access(l, os.X_OK)), None)
    if not lit:
        return Counts(failed=1), ["lit is not installed"]
    report = os.path.join(folder, "lit.json")
    # lit ends a hanging test only with psutil.
    limit = ["--timeout=900"] if importlib.util.find_spec("psutil") else []
    subprocess.run([sys.executable, lit, "-sv", f"-j{jobs}", *limit, "--output", report, tests], stdin=subprocess.DEVNULL)
    counts, failed, reasons = Counts(), [], Counts()
    if not os.path.exists(report):
        return Counts(failed=1), ["lit wrote no report"]
    with open(report) as f:
        results = json.load(f)["tests"]
    for test in results:
        outcome = LIT_CODES.get(test["code"], "failed")
        counts[outcome] += 1
        if outcome == "failed":
            failed.append(f"{test['name']} ({test['code']})")
        elif outcome == "skipped":
            needed = re.search(r"unavailable features: (.*)", test.get("output") or "")
            reasons[f"needs {needed[1]}" if needed else test["code"].lower()] += 1
    for reason, count in reasons.most_common():
        print(f"skipped: {count} of lit's tests, {reason}")
    return counts if results else Counts(failed=1), failed if results else ["lit found no tests"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    total, failed = Counts(), []
    with tempfile.TemporaryDirectory(prefix="vortex-check-") as folder:
        for suite in (run_ctest, run_lit):
            counts, names = suite(os.path.abspath(options.build), options.jobs, folder)
            total += counts
            failed += names
    for name in failed:
        print(f"failed: {name}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped", flush=True)
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
