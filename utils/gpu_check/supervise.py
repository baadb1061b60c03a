"""Starts the process on the device, and another where one ends or stands still."""
import json
import os
import selectors
import signal
import subprocess
import sys
import time

from .report import describe, describe_candidates

START_SECONDS = 180     # PyTorch, the context, the loading of all code
GRACE_SECONDS = 20      # to end after the last word


class Supervisor:
    """COMMAND starts a worker. One that says nothing for LIMIT seconds is ended, after FAULTS of them nothing more is started."""

    def __init__(self, command, report, task, say, limit, faults):
        self.command, self.report, self.task, self.say = command, report, task, say
        self.limit, self.faults = limit, faults
        self.opened, self.step, self.saved = False, None, 0.0

    def run(self):
        """What is left undone, or None where the device cannot be worked with."""
        for _ in range(self.faults):
            left = self.work()
            self.report.save()
            if left is not None or not self.opened:
                return left
        self.say(f"ended after {self.faults} faults")
        return None

    def work(self):
        """One process, until it is done (then what is left), ends or stands still (then None, and the report says where)."""
        read, write = os.pipe()
        task = self.task | {"pipe": write, "done": self.report.done(), "faulty": self.report.faulty()}
        process = subprocess.Popen([*self.command, json.dumps(task)], pass_fds=[write], start_new_session=True)
        os.close(write)
        self.step, left, error, still = None, None, "", False
        try:
            for event in self.events(read):
                if event is None:
                    still, error = True, f"no answer in {self.limit} s"
                    break
                if event["event"] == "ended":
                    error = event["error"]
                elif event["event"] == "stopped":
                    left = event["left"]
                else:
                    self.take(event)
            process.wait(0 if still else GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        finally:
            os.close(read)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        if left is None and self.step:
            error = error or f"the process ended with {f'signal {-code}' if code < 0 else f'status {code}'}"
            self.say(f"FAULT {self.step['what']}: {error}")
            self.report.add_fault(self.step["unit"], self.step["what"], self.step["forced"], error)
        elif error:
            self.say(f"run: the process on the device does not start: {error}")
        return left

    def events(self, read):
        """What the worker tells; None when it stands still."""
        text, selector = b"", selectors.DefaultSelector()
        selector.register(read, selectors.EVENT_READ)
        wait = START_SECONDS
        while selector.select(wait):
            wait, more = self.limit, os.read(read, 1 << 16)
            if not more:
                return
            *lines, text = (text + more).split(b"\n")
            yield from map(json.loads, lines)
        yield None

    def take(self, event):
        kind = event.pop("event")
        if kind == "opened":
            self.report.opened(event["target"], event["device"], event["torch"])
            if not self.opened:
                torch = f"PyTorch {event['torch']}" if event["torch"] else "no PyTorch with a GPU: no times"
                self.say(f"code for {event['target']}; {torch}")
                self.say(event["remarks"]) if event["remarks"] else None
            self.opened = True
        elif kind == "step":
            self.step = event
        else:
            self.report.add(kind, event["unit"], event["record"])
            for failure in event["record"]["failures"]:
                self.say(f"WRONG {failure['case']}: {failure['error']}")
            if kind == "times":
                self.say(describe(event["record"]))
            elif kind == "candidates":
                for line in describe_candidates(event["record"]):
                    self.say(line)
            self.step = None
            if time.time() - self.saved > 5:
                self.report.save()
                self.saved = time.time()
