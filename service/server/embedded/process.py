"""
Start a program that ends with its parent process.

`spawn` runs this file as a launcher, which drops root privileges if required, sets the parent-death signal, and then
executes the program. A launcher is safer than `preexec_fn` in a process with threads.

The file is run by its path, so it can import the standard library only.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO, NoReturn

# Of <linux/prctl.h>, <linux/securebits.h> and <linux/capability.h>.
PR_SET_PDEATHSIG, PR_SET_SECUREBITS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 28, 47, 2
SECBIT_NO_SETUID_FIXUP = 4
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SETPCAP = 1, 2, 8
CAPABILITY_VERSION_3 = 0x20080522

KERNEL_SIGNALS_DEATH = sys.platform == "linux"


def spawn(
    command: Sequence[str],
    *,
    last_signal: signal.Signals,
    account: tuple[int, int] | None = None,
    env: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    watched: bool = not KERNEL_SIGNALS_DEATH,
) -> subprocess.Popen[bytes]:
    """
    Start a command in a new session, so that Ctrl-C reaches only the parent, which stops it.

    It must be called by the main thread, because the kernel sends the signal when the calling thread ends.

    Args:
        command: the absolute path of the program, then its arguments.
        last_signal: the signal for the program when its parent is killed.
        account: user and group ID to run as (root only); None for those of the parent.
        env: the environment; None for that of the parent.
        output: the file for stdout and stderr; None for those of the parent.
        pass_fds: open files that the program inherits.
        watched: keep the launcher, which forwards signals and watches a pipe; for kernels without parent-death signals.
    """
    orders = json.dumps(
        {"starter": os.getpid(), "last_signal": int(last_signal), "account": account, "watched": watched}
    )
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, orders, *command],
        stdin=subprocess.PIPE if watched else subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=env,
        cwd="/",
        pass_fds=pass_fds,
        start_new_session=True,
    )


def stop(program: subprocess.Popen[bytes], seconds: float) -> None:
    """Terminate a spawned program, and kill its session after some seconds."""
    program.terminate()
    try:
        program.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def set_death_signal(number: int, parent: int) -> None:
    """Set the signal that this process gets when its parent dies, and exit if it has died."""
    if not KERNEL_SIGNALS_DEATH:
        return
    _prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit(1)


def _main() -> NoReturn:
    orders, command = json.loads(sys.argv[1]), sys.argv[2:]
    if orders["account"] is not None:
        _drop_privileges(*orders["account"])
    if orders["watched"]:
        sys.exit(_watch(command, orders["last_signal"]))
    set_death_signal(orders["last_signal"], orders["starter"])
    # Python ignores this signal and a program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(command[0], command)


def _watch(command: Sequence[str], last_signal: int) -> int:
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda received, _frame: program.send_signal(received))
    while program.poll() is None:
        starter_is_gone, _, _ = select.select([sys.stdin], [], [], 0.1)
        if starter_is_gone:
            program.send_signal(last_signal)
            program.wait()
    return program.returncode if program.returncode >= 0 else 128 - program.returncode


def _drop_privileges(uid: int, gid: int) -> None:
    """
    Change from root to another user permanently, except for the capability to pass directories and read files.

    PostgreSQL needs it for files and programs below a directory of root, such as /root. Without the capability, the
    account needs access to the paths.
    """
    passage = _permitted_passage() if KERNEL_SIGNALS_DEATH else None
    if passage is not None:
        # Changing the user then keeps the capability, also in access(2), which PostgreSQL finds its programs with.
        _prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    if passage is not None:
        _capabilities("capset", 1 << passage)
        _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, passage)


def _permitted_passage() -> int | None:
    permitted = _capabilities("capget")
    passages = (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE) if permitted >> CAP_SETPCAP & 1 else ()
    return next((passage for passage in passages if permitted >> passage & 1), None)


def _capabilities(call: str, bits: int = 0) -> int:
    """Read or set the capabilities of this process: the bit set of those permitted, of the first 32."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    effective_permitted_inheritable = (ctypes.c_uint32 * 6)(bits, bits, bits, 0, 0, 0)
    if getattr(ctypes.CDLL(None, use_errno=True), call)(header, effective_permitted_inheritable) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), call)
    return effective_permitted_inheritable[1]


def _prctl(option: int, *arguments: int) -> None:
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    if ctypes.CDLL(None, use_errno=True).prctl(option, *padded) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), f"prctl({option})")


if __name__ == "__main__":
    _main()
