"""kill.py SCRIPT ARGUMENTS...: starts SCRIPT, kills it once it has a worker, and counts its workers before and after."""
import os
import subprocess
import sys
import time


def count():
    found = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:                                     # it has ended
            continue
        found += sys.argv[1].encode() in words and b"--worker" in words
    return found


def wait(wanted):
    for _ in range(300):
        if count() == wanted:
            break
        time.sleep(0.1)
    return count()


run = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.PIPE)
run.stdout.readline()                                       # the device is open
before = wait(1)
run.kill()
run.wait()
print(f"processes before: {before}, after: {wait(0)}")
