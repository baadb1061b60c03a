"""Runs vortex-opt for the other scripts here."""
import subprocess
import sys


def opt(text, *passes):
    """What vortex-opt makes of TEXT; ends the script with its message when it fails."""
    done = subprocess.run(["vortex-opt", "-", *passes], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout
