"""Tries what a sandbox must stop, and prints what it did not."""

import ctypes
import os
import socket
import sys


def read_a_file():
    open("/etc/passwd").read()


def read_a_folder():
    os.listdir("/")


def write_a_file():
    # A file without a name: where this works, nothing is left of it.
    os.close(os.open("/tmp", os.O_TMPFILE | os.O_WRONLY))


def read_the_parents_environment():
    open(f"/proc/{os.getppid()}/environ", "rb").read()


def open_a_socket():
    socket.socket().close()


def make_a_process():
    child = os.fork()
    if child == 0:
        os._exit(0)


def signal_the_parent():
    os.kill(os.getppid(), 0)


def run_a_program():
    # The last, for nothing comes back from it.
    os.execv(sys.argv[1], [sys.argv[1], "-c", "print('run_a_program')"])


def read_the_parents_memory():
    call = ctypes.CDLL(None, use_errno=True).ptrace
    if call(16, os.getppid(), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def loosen_a_limit():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))


sys.argv[1:] = [sys.executable]
for attack in (read_a_file, read_a_folder, write_a_file, read_the_parents_environment, open_a_socket, make_a_process,
               signal_the_parent, read_the_parents_memory, loosen_a_limit, run_a_program):
    try:
        attack()
    except (OSError, ValueError):
        # `resource` reports a refusal as a `ValueError`.
        continue
    print(attack.__name__, flush=True)
