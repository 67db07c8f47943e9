"""
Starts a program that cannot outlive the one who started it.

`spawn` runs this very file as a small launcher, which gives up root where asked to, asks the kernel for a signal when
its parent dies, and then becomes the program. A launcher instead of `preexec_fn`: nothing of ours runs between fork and
exec in a process that may have threads.

It is run by its path, alone: the standard library is all it may import.
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
    Start `command` in a session of its own, so that a Ctrl-C reaches only the starter, who stops it in good order.

    Must be called by the main thread: the kernel takes the end of the starting thread for the end of the starter.

    Args:
        command: the program's absolute path, then its arguments.
        last_signal: what the program gets when its starter is killed.
        account: user and group id to run as (root only); None is the starter's own.
        env: the program's environment; None is the starter's own.
        output: where all that the program says goes; None is where the starter's goes.
        pass_fds: open files that the program inherits.
        watched: stay as a parent that forwards signals and watches a pipe; for kernels that do not tell of a parent's
            death.
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
    """Let a program that was spawned end in good order, and after so many seconds end whatever is left of it."""
    program.terminate()
    try:
        program.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def set_death_signal(number: int, parent: int) -> None:
    """Have the kernel send this process a signal when its parent dies, or end now if that has happened already."""
    if not KERNEL_SIGNALS_DEATH:
        return
    _prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit(1)


def _main() -> NoReturn:
    orders, command = json.loads(sys.argv[1]), sys.argv[2:]
    if orders["account"] is not None:
        _become(*orders["account"])
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


def _become(uid: int, gid: int) -> None:
    """
    Give up root for good, but for passing through directories and reading files.

    Without that, PostgreSQL could use neither files nor programs below a directory that is root's alone, such as /root,
    and somebody's permissions would have to be changed. Where the kernel grants no such thing, the paths must be open
    to the account.
    """
    passage = _permitted_passage() if KERNEL_SIGNALS_DEATH else None
    if passage is not None:
        # Changing the user then takes nothing away, here and in access(2), with which PostgreSQL finds its programs.
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


def _capabilities(call: str, wanted: int = 0) -> int:
    """Read or set the capabilities of this process: the bit set of those permitted, of the first 32."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    effective_permitted_inheritable = (ctypes.c_uint32 * 6)(wanted, wanted, wanted, 0, 0, 0)
    if getattr(ctypes.CDLL(None, use_errno=True), call)(header, effective_permitted_inheritable) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), call)
    return effective_permitted_inheritable[1]


def _prctl(option: int, *arguments: int) -> None:
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    if ctypes.CDLL(None, use_errno=True).prctl(option, *padded) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), f"prctl({option})")


if __name__ == "__main__":
    _main()
