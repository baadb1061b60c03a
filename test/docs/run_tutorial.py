#!/usr/bin/env python3
"""Follows a Markdown page: writes its `file=NAME` blocks and runs its `sh` blocks in order, in the current folder.

    run_tutorial.py PAGE.md

A command of a block marked `sh fails` must end with 1 and say why; any other must end with 0.
"""
import re
import subprocess
import sys

# Blocks may stand in a list, indented.
BLOCK = re.compile(r"^ *```(\w+)([^\n]*)\n(.*?)^ *```$", re.M | re.S)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1]) as f:
        page = f.read()
    ran = 0
    for language, words, body in BLOCK.findall(page):
        name = re.search(r"file=(\S+)", words)
        if name:
            with open(name[1], "w") as f:
                f.write(body)
        if language != "sh":
            continue
        fails = "fails" in words.split()
        for command in filter(None, body.splitlines()):
            done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            ran += 1
            if done.returncode != (1 if fails else 0) or (fails and not done.stderr.strip()):
                print(f"$ {command}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
                return 1
    print(f"{ran} commands ran as the page says")
    return 0 if ran else 1


if __name__ == "__main__":
    sys.exit(main())
