"""An interpreter that has imported what programs use, and forks for each of them.

It obeys single bytes on its control pipe: `P` and `J` start a program's and a tests' process in the place of one that
still runs, `p` and `j` end it. It says
eight bytes: who (`P`, `J`), what (`s`tarted, `e`nded, `f`ailed), and the status. It never sees a program or a test.
"""

import builtins
import ctypes
import gc
import json
import os
import random
import resource
import select
import signal
import struct
import sys
import types

_said = struct.Struct("<ccxxi")
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


class Locks:
    """What a process loses before it runs what it is for."""

    def __init__(self, order):
        self.limits = order["limits"]
        self.prctl = ctypes.CDLL(None, use_errno=True).prctl
        self.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
        self.filters = []
        for text in order["filters"]:
            data = bytes.fromhex(text)
            held = ctypes.create_string_buffer(data, len(data))
            self.filters.append((held, Program(len(data) // 8, ctypes.addressof(held))))

    def control(self, option, number, pointer=None):
        if self.prctl(option, number, pointer, 0, 0) != 0:
            os._exit(120)

    def apply(self, has_time_limit):
        for name, value in self.limits.items():
            if name != "CPU" or has_time_limit:
                # One second of processor time lies between the signal that says what happened and the end.
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value + (name == "CPU")))
        self.control(PR_SET_DUMPABLE, 0)
        self.control(PR_SET_NO_NEW_PRIVS, 1)
        for _, program in self.filters:
            self.control(PR_SET_SECCOMP, 2, ctypes.addressof(program))


class Children:
    def __init__(self, fds, locks):
        self.fds, self.locks = fds, locks
        self.running = {}
        self.poll = select.poll()
        self.poll.register(fds["control_in"], select.POLLIN)

    def say(self, who, what, status):
        os.write(self.fds["control_out"], _said.pack(who, what, status))

    def start(self, who):
        # The new one takes the place of the old one.
        for pidfd, (running, child) in list(self.running.items()):
            if running == who:
                os.kill(child, signal.SIGKILL)
                self.ended(pidfd)
        calls, answers = self.fds["calls"], self.fds["answers"]
        if who == b"P":
            # Nobody writes now: the last program is gone, and the tests wait to be told of this one.
            drain(calls[0])
            drain(answers[0])
        own, main = {
            b"P": ([self.fds["program_in"], self.fds["report"], calls[0], answers[1]], "barecode_program"),
            b"J": ([self.fds["judge_in"], self.fds["judge_out"], answers[0], calls[1]], "barecode_judge"),
        }[who]
        parent = os.getpid()
        try:
            child = os.fork()
        except OSError as error:
            return self.say(who, b"f", error.errno)
        if child == 0:
            try:
                self.become(who, own, main, parent)
            except BaseException as error:
                if os.environ.get("BARECODE_PYTHON_DEBUG"):
                    import traceback
                    os.write(1, traceback.format_exc().encode())
                os._exit(121)
            os._exit(122)
        pidfd = os.pidfd_open(child)
        self.running[pidfd] = (who, child)
        self.poll.register(pidfd, select.POLLIN)
        self.say(who, b"s", child)

    def become(self, who, own, main, parent):
        self.locks.control(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
        keep = sorted([0, 1, 2, *own])
        for low, high in zip(keep, [*keep[1:], 4096]):
            os.closerange(low + 1, high)
        random.seed(0)
        sys.modules[main].run(self.fds, lambda: self.locks.apply(who == b"P"))

    def end(self, who):
        for running, child in self.running.values():
            if running == who:
                os.kill(child, signal.SIGKILL)

    def ended(self, pidfd):
        who, child = self.running.pop(pidfd)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        _, status = os.waitpid(child, 0)
        drain(self.fds["program_in"] if who == b"P" else self.fds["judge_in"])
        self.say(who, b"e", status)

    def attend(self):
        control = self.fds["control_in"]
        while True:
            ready = {fd for fd, _ in self.poll.poll()}
            # Who has ended first: a command may give the number of its descriptor to another.
            for fd in ready - {control}:
                self.ended(fd)
            if control not in ready:
                continue
            commands = os.read(control, 64)
            if not commands:
                os._exit(0)
            for number in commands:
                command = bytes([number])
                if command.isupper():
                    self.start(command)
                else:
                    self.end(command.upper())


def drain(fd):
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while poll.poll(0) and os.read(fd, 1 << 16):
        pass


def main(order):
    for name in order["imports"]:
        __import__(name)
    import _sitebuiltins

    # What `site` would add; scripts end with `exit()`.
    builtins.exit, builtins.quit = _sitebuiltins.Quitter("exit", "Ctrl-D"), _sitebuiltins.Quitter("quit", "Ctrl-D")
    for name, source in order["modules"]:
        made = types.ModuleType(name)
        sys.modules[name] = made
        exec(compile(source, name, "exec", dont_inherit=True), made.__dict__)
    sys.modules["barecode_judge"].COLLECT = order["lazy"]
    fds = dict(order["fds"], calls=os.pipe(), answers=os.pipe())
    locks = Locks(order)
    sys.path[:] = [path for path in sys.path if path.startswith("/")]
    sys.dont_write_bytecode = True
    import atexit

    atexit._clear()
    gc.collect()
    gc.freeze()
    children = Children(fds, locks)
    children.say(b"Z", b"s", 0)
    children.attend()


def read_order():
    fd = int(sys.argv[1])
    data = b""
    while len(data) < 4 or len(data) < 4 + struct.unpack_from("<I", data)[0]:
        data += os.read(fd, 1 << 20)
    return json.loads(data[4:])


main(read_order())
