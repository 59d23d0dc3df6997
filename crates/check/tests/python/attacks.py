"""Attacks on the machine; `attempt` prints `stopped`, or `reached` where one works."""

import ctypes
import mmap
import os
import socket
import struct
import sys

MACHINE = os.uname().machine == "x86_64"
LIBC = ctypes.CDLL(None, use_errno=True)


def attempt(attack):
    try:
        attack()
    except OSError:
        print("stopped")
    else:
        print("reached")


def system_call(x86_64, aarch64, *arguments):
    ctypes.set_errno(0)
    if LIBC.syscall(x86_64 if MACHINE else aarch64, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "no")


# The sixteen of the note.


def connect_to_loopback():
    socket.create_connection(("127.0.0.1", PORT), 1)


def write_to_tmp():
    open("/tmp/barecode-attack", "w").close()


def write_to_the_working_folder():
    open("barecode-attack", "w").close()


def read_passwd():
    open("/etc/passwd").read()


def read_home():
    os.listdir(os.path.expanduser("~root"))


def start_a_program():
    import subprocess

    subprocess.run([sys.executable, "-c", "1"])


def fork():
    if os.fork() == 0:
        os._exit(0)


def signal_the_parent():
    os.kill(os.getppid(), 0)


def read_the_parents_environment():
    open(f"/proc/{os.getppid()}/environ", "rb").read()


def fill_shared_memory():
    with open("/dev/shm/barecode-attack", "wb") as file:
        file.write(bytes(1 << 20))


# And more.


def make_a_ring():
    system_call(425, 425, 8, ctypes.create_string_buffer(120))


def trace_the_parent():
    system_call(101, 117, 16, os.getppid(), 0, 0)


def be_traced():
    system_call(101, 117, 0, 0, 0, 0)


def run_memory_as_a_program():
    fd = os.memfd_create("program")
    os.write(fd, open(sys.executable, "rb").read())
    os.execve(fd, ["python3"], {})


def replace_this_program():
    os.execv(sys.executable, [sys.executable, "-c", "print('reached')"])


def write_the_parents_memory():
    open(f"/proc/{os.getppid()}/mem", "r+b").close()


def read_its_own_memory_by_file():
    open("/proc/self/mem", "rb").close()


def signal_everybody():
    os.kill(-1, 0)


def signal_its_group():
    os.killpg(0, 0)


def signal_a_thread_of_the_parent():
    system_call(234, 131, os.getppid(), os.getppid(), 0)


def queue_a_signal():
    system_call(129, 138, os.getppid(), 10, ctypes.create_string_buffer(128))


def signal_through_a_descriptor():
    fd = os.pidfd_open(os.getppid())
    system_call(424, 424, fd, 0, 0, 0)


def take_the_parents_descriptors():
    fd = os.pidfd_open(os.getppid())
    system_call(438, 438, fd, 0, 0)


def link_out_of_the_folder():
    os.symlink("/etc/passwd", "link")


def follow_a_link_of_proc():
    os.listdir("/proc/self/root")


def abstract_socket():
    one = socket.socket(socket.AF_UNIX)
    one.bind("\0barecode")


def pair_of_sockets():
    socket.socketpair()


def raw_socket():
    system_call(41, 198, 17, 3, 0)


def type_into_the_terminal():
    import fcntl

    for fd in range(3):
        fcntl.ioctl(fd, 0x5412, b"x")


def loosen_a_limit():
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    except ValueError as error:
        raise PermissionError("no") from error


def tighten_a_limit_of_the_parent():
    import resource

    try:
        resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3))
    except ValueError as error:
        raise PermissionError("no") from error


def flood_the_scheduler():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))


def go_before_others():
    os.setpriority(os.PRIO_PROCESS, 0, -20)


def choose_processors():
    os.sched_setaffinity(os.getppid(), {0})


def read_keys():
    system_call(250, 219, 0, -3, 1)


def mount():
    system_call(165, 40, b"none", b"/tmp", b"tmpfs", 0, 0)


def change_root():
    os.chroot("/tmp")


def name_spaces():
    system_call(272, 97, 0x10000000)


def load_a_filter_program():
    system_call(321, 280, 0, ctypes.create_string_buffer(128), 128)


def watch_events():
    system_call(298, 241, ctypes.create_string_buffer(128), 0, -1, -1, 0)


def handle_page_faults():
    system_call(323, 282, 0)


def shared_memory_of_system_v():
    system_call(29, 194, 0, 4096, 0o1600)


def message_queue():
    system_call(240, 180, b"barecode", 0o102, 0o600, 0)


def read_the_memory_of_others():
    buffer = ctypes.create_string_buffer(8)
    local = struct.pack("PN", ctypes.addressof(buffer), 8)
    here = os.getppid()
    for process in range(here - 3, here + 40):
        if process == os.getpid():
            continue
        ctypes.set_errno(0)
        remote = struct.pack("PN", id(buffer), 8)
        LIBC.syscall(310 if MACHINE else 270, process, local, 1, remote, 1, 0)
        # `EPERM` is the filter's; anything else is an answer.
        if ctypes.get_errno() != 1:
            return
    raise PermissionError("no")


def change_flags_of_shared_pipes():
    os.set_blocking(1, False)


def resize_a_shared_pipe():
    import fcntl

    fcntl.fcntl(1, 1031, 4096)


def own_the_signals_of_a_pipe():
    import fcntl

    fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())


def change_the_clock():
    import time

    time.clock_settime(time.CLOCK_REALTIME, 0)


def take_rights():
    os.setuid(0)
    os.setgroups([0])


def undo_the_filter():
    buffer = struct.pack("HHBBI", 6, 0, 0, 0, 0x7FFF0000)[-8:]
    program = struct.pack("HxxxxxxP", 1, id(buffer) + 32)
    system_call(157, 167, 22, 2, program)


def make_a_thing_of_both_kinds():
    # The numbers of the other kind of system calls of this machine.
    if not MACHINE:
        raise PermissionError("no such kind")
    system_call(0x40000000 + 41, 0, 2, 1, 0)


def write_executable_memory_and_call_the_kernel():
    # The filter sees system calls of machine code, too: socket(2, 1, 0).
    if not MACHINE:
        raise PermissionError("written for another machine")
    code = bytes.fromhex("b829000000bf02000000be0100000031d20f05c3")
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    result = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
    if result < 0:
        raise OSError(-result, "no")
