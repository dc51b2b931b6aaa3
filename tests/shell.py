"""`confint` on the path of a shell without its start: a fork of a process that has all imports.

Of the hundreds of calls in help texts and pages each would spend most of its time on imports.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzzing.forked import become, import_everything

ROOT = Path(__file__).parent.parent

# Hands its streams and all that it knows to the server, and ends as the fork does.
CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(10)))
"""


@contextmanager
def quick_program(folder: Path) -> Iterator[Path]:
    """Yield a `confint` in a folder of its own that takes no time to start."""
    client = folder / "confint"
    with TemporaryDirectory(dir="/tmp") as short:  # addresses of sockets have to be
        address = f"{short}/socket"
        client.write_text(CLIENT.format(python=sys.executable, address=address))
        client.chmod(0o755)
        serving = [sys.executable, "-m", "tests.shell", address]
        with subprocess.Popen(
            serving, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=ROOT
        ) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield client
            server.kill()


def serve(address: str) -> None:
    """Answer calls, each in a process of its own."""
    import_everything()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            if not os.fork():
                listening.close()
                answer(connection)
            connection.close()
            os.waitpid(-1, os.WNOHANG)  # those that have answered


def answer(connection: socket.socket) -> None:
    """Make the call that comes, and send back its exit status; do not return."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("rb") as request:
        args, folder, environment = json.load(request)
    child = os.fork()
    if not child:
        connection.close()
        become(args, folder, environment, (streams[0], streams[1], streams[2]))
    for stream in streams:
        os.close(stream)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    connection.sendall(str(status % 256).encode())
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
