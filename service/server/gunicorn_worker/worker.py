"""A gunicorn worker that uses threads for requests, but not for silent and slow clients."""

import errno
import resource
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from selectors import EVENT_READ, EVENT_WRITE
from ssl import SSLContext
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, Final

from gunicorn import util
from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker

from service.http.rate_limits import find_network
from service.http.request_body import AwaitedBody, BodyAwaited
from service.places import MOST_LISTENERS
from service.server.gunicorn_worker.connection import MOST_BODY, MOST_UNADMITTED, Connection, Waits
from service.server.gunicorn_worker.wire import Limits, TlsSocket, Wire

MOST_LONG: Final = 16
"""Maximum number of bodies and responses over the size of the buffers that wait for their clients in threads."""
_TOGETHER_SECONDS: Final = 0.1
"""Time after the head in which a body is received before the request is queued."""
_CLOSING_SECONDS: Final = 2.0
_TICK_SECONDS: Final = 0.1
_MOST_DESCRIPTORS: Final = 65536


class Worker(ThreadWorker):
    """
        Receives heads and bodies and sends responses in its poller; threads process the requests.

        A connection waits in the poller (`Connection.waits`), is queued in `ready`, or is processed by a thread.
    Everything runs in the main thread, except `handle`, `leave` and `step_aside`.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.limits = Limits.from_environment()
        self.waiting: dict[Connection, None] = {}
        """The connections in the poller, the longest waiting one first."""
        self.ready: deque[Connection] = deque()
        self.busy = 0
        self.addresses: Counter[str] = Counter()
        self.long = BoundedSemaphore(MOST_LONG)
        self.next_sweep = 0.0
        self.tls: SSLContext | None = None

    def init_process(self) -> None:
        """Raise the limit of open files to that of the system, and run the worker."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        if self.cfg.is_ssl:
            self.tls = TlsSocket.make_context(self.cfg)
        super().init_process()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Create the threads, with additional ones for requests that wait for their clients or for events."""
        return ThreadPoolExecutor(max_workers=self.cfg.threads + MOST_LONG + MOST_LISTENERS)

    # Opening and closing connections

    def accept(self, listener: Any) -> None:
        """Accept a connection; if there are too many, close the longest waiting one."""
        try:
            client, peer = listener.accept()
            if self.tls is not None:
                client = TlsSocket.wrap(client, self.tls)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self.evict()
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK, errno.ENOTCONN):
                raise
            return
        connection = Connection(Wire(client, self.limits), peer, listener.getsockname())
        connection.sock.leave = partial(self.leave, connection)
        connection.sock.step_aside = partial(self.step_aside, connection)
        self.nr_conns += 1
        if self.nr_conns >= self.worker_connections:
            self.evict()
        is_counted = not self.limits.proxies and isinstance(peer, tuple)
        if is_counted and not self.count(connection, find_network([peer[0]], 0)):
            self.refuse(connection, HTTPStatus.TOO_MANY_REQUESTS)
            return
        self.wait(connection, Waits.HEAD, self.limits.head_seconds)
        self.on_event(connection)

    def count(self, connection: Connection, address: str) -> bool:
        """Count a connection for an address, closing another one at the limit; return False if none can be closed."""
        if self.addresses[address] >= self.limits.address_connections and not self.evict(address):
            return False
        connection.address = address
        self.addresses[address] += 1
        return True

    def evict(self, address: str | None = None) -> bool:
        """Close the longest waiting connection, of an address if given; return whether there is one."""
        for connection in self.waiting:
            if address is None or connection.address == address:
                self.drop(connection)
                return True
        return False

    def drop(self, connection: Connection) -> None:
        """Close a connection, unless it is closed."""
        if connection.is_open:
            connection.is_open = False
            self.stop_waiting(connection)
            self.forget_address(connection)
            connection.sock.close()
            self.nr_conns -= 1

    def forget_address(self, connection: Connection) -> None:
        """Stop counting a connection for its address."""
        if connection.address:
            self.addresses[connection.address] -= 1
            if not self.addresses[connection.address]:
                del self.addresses[connection.address]
            connection.address = ""

    def wait(self, connection: Connection, waits: Waits, seconds: float) -> None:
        """Add a connection to the poller, with a timeout."""
        self.stop_waiting(connection)
        connection.waits, connection.deadline = waits, monotonic() + seconds
        self.waiting[connection] = None
        events = EVENT_WRITE if waits is Waits.SENDING else EVENT_READ
        self.poller.register(connection.sock, events, lambda _sock: self.on_event(connection))

    def stop_waiting(self, connection: Connection) -> None:
        """Remove a connection from the poller, if it is there."""
        if connection in self.waiting:
            del self.waiting[connection]
            self.poller.unregister(connection.sock)

    # Events of waiting connections

    def on_event(self, connection: Connection) -> None:
        """Handle the event of a connection."""
        if connection not in self.waiting:
            return  # closed by an event just before
        step = {
            Waits.HEAD: self.go_on_with_head,
            Waits.BODY: self.go_on_with_body,
            Waits.SENDING: self.go_on_sending,
            Waits.CLOSING: self.go_on_closing,
        }[connection.waits]
        try:
            step(connection)
        except OSError:
            self.drop(connection)

    def go_on_with_head(self, connection: Connection) -> None:
        """Receive a part of a head, and start the request when it is complete."""
        sock = connection.sock
        if not sock.receive() and not sock.is_ended:
            return
        if connection.is_idle:
            connection.is_idle = False
            connection.deadline = monotonic() + self.limits.head_seconds
        self.take_head(connection)

    def take_head(self, connection: Connection) -> None:
        """Parse a complete head, and start or reject its request."""
        if not connection.has_head():
            return
        self.stop_waiting(connection)
        try:
            headers = connection.read_head(self.cfg)
        except (NoMoreData, StopIteration):
            self.drop(connection)
            return
        except Exception as error:
            self.handle_error(None, connection.sock, connection.client, error)
            self.finish_response(connection, keeps_alive=False)
            return
        if self.limits.proxies and not self.count(connection, self.find_sender(connection, headers)):
            self.refuse(connection, HTTPStatus.TOO_MANY_REQUESTS)
        elif connection.has_body() or connection.expects_continue:
            self.enqueue_req(connection)
        else:
            self.wait(connection, Waits.BODY, _TOGETHER_SECONDS)

    def find_sender(self, connection: Connection, headers: Sequence[tuple[str, str]]) -> str:
        """Return the network that the trusted proxies say a request comes from."""
        forwarded = ",".join(value for name, value in headers if name == "X-FORWARDED-FOR")
        peer = connection.client[0] if isinstance(connection.client, tuple) else ""
        senders = [sender.strip() for sender in forwarded.split(",") if sender.strip()]
        return find_network([peer, *reversed(senders)], self.limits.proxies)

    def go_on_with_body(self, connection: Connection) -> None:
        """Receive a part of a body, and queue the request when it is complete."""
        sock = connection.sock
        transferred = sock.receive()
        if connection.is_admitted:
            now = monotonic()
            connection.deadline = now + self.limits.extend(connection.deadline - now, transferred)
        most = MOST_BODY if connection.is_admitted else MOST_UNADMITTED
        if sock.is_ended or len(sock.received) > most or connection.has_body():
            self.enqueue_req(connection)

    def go_on_sending(self, connection: Connection) -> None:
        """Send a part of a response."""
        now = monotonic()
        connection.deadline = now + self.limits.extend(connection.deadline - now, connection.sock.flush())
        if not connection.sock.has_unsent():
            self.finish_response(connection, keeps_alive=connection.keeps_alive)

    def go_on_closing(self, connection: Connection) -> None:
        """Discard received bytes until the client closes the connection."""
        connection.sock.receive()
        connection.sock.received.clear()
        if connection.sock.is_ended:
            self.drop(connection)

    def murder_pending(self) -> None:
        """Handle the connections whose deadline has passed."""
        now = monotonic()
        if now < self.next_sweep:
            return
        self.next_sweep = now + _TICK_SECONDS
        for connection in [late for late in self.waiting if late.deadline <= now]:
            if connection.waits is Waits.BODY:
                # The application asks for the body, or responds that it is incomplete.
                connection.sock.is_late = connection.is_admitted
                self.enqueue_req(connection)
            elif connection.waits is Waits.HEAD and not connection.is_idle:
                self.refuse(connection, HTTPStatus.REQUEST_TIMEOUT)
            else:
                self.drop(connection)

    def refuse(self, connection: Connection, status: HTTPStatus) -> None:
        """Send an error response without calling the application, and close the connection."""
        self.stop_waiting(connection)
        util.write_error(connection.sock, status.value, status.phrase, "")
        self.finish_response(connection, keeps_alive=False)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait for events, but not much longer than the next deadline."""
        super().wait_for_and_dispatch_events(min(timeout, _TICK_SECONDS) if self.waiting else timeout)

    def _cap_keepalive(self, deadline: float) -> None:
        """Shorten the deadlines of incomplete heads, because the worker stops."""
        for connection in self.waiting:
            if connection.waits is Waits.HEAD:
                connection.deadline = min(connection.deadline, deadline)

    # Processing requests

    def enqueue_req(self, connection: Connection) -> None:
        """Queue a request for a thread."""
        self.stop_waiting(connection)
        connection.begin(AwaitedBody())
        self.ready.append(connection)
        self.dispatch()

    def dispatch(self) -> None:
        """Start threads for queued requests, up to the limit."""
        while self.ready and self.busy < self.cfg.threads:
            self.busy += 1
            super().enqueue_req(self.ready.popleft())

    def leave(self, connection: Connection) -> None:
        """
        Free the slot of a request that waits for its client; called in its thread.

        Raises:
            TimeoutError: too many requests wait for their clients.
        """
        if connection.has_left or connection.is_aside:
            return
        if not self.long.acquire(blocking=False):
            raise TimeoutError("too many clients are slow")
        connection.has_left = True
        self.method_queue.defer(self.free_place)

    def step_aside(self, connection: Connection) -> None:
        """
        Free the slot of a request that waits for events; called in its thread.

        The application limits their number: there are threads for `MOST_LISTENERS` of them.
        """
        if not (connection.has_left or connection.is_aside):
            connection.is_aside = True
            self.method_queue.defer(self.free_place)

    def free_place(self) -> None:
        """Free a slot and start the next request."""
        self.busy -= 1
        self.dispatch()

    def handle(self, connection: Connection) -> bool:
        """
        Process a request in a thread; return whether its connection can be reused.

        Raises:
            BodyAwaited: the application asks for the body.
            OSError, StopIteration: the response was aborted, or the client has disconnected or is too slow.
        """
        keeps_alive = False
        try:
            keeps_alive = self.handle_request(connection.request, connection) and connection.finish_body()
        except TimeoutError:
            self.log.warning("A client was too slow.")
            raise
        except (OSError, StopIteration):
            raise
        except Exception as error:
            self.handle_error(connection.request, connection.sock, connection.client, error)
        connection.sock.flush()
        return keeps_alive

    def finish_request(self, connection: Connection, done: Future[bool]) -> None:
        """Handle the end of a connection's thread."""
        if connection.has_left:
            self.long.release()
            connection.has_left = False
        elif connection.is_aside:
            connection.is_aside = False
        else:
            self.busy -= 1
        failure = done.exception()
        if failure is None:
            self.finish_response(connection, keeps_alive=done.result())
        elif isinstance(failure, BodyAwaited):
            self.await_body(connection)
        else:
            self.drop(connection)
        self.dispatch()

    def await_body(self, connection: Connection) -> None:
        """Receive the body that the application asked for."""
        connection.is_admitted = True
        self.wait(connection, Waits.BODY, self.limits.transfer_seconds)
        try:
            if connection.expects_continue:
                connection.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                connection.sock.flush()
            self.go_on_with_body(connection)
        except OSError:
            self.drop(connection)

    def finish_response(self, connection: Connection, *, keeps_alive: bool) -> None:
        """Send the rest of a response, and then reuse or close the connection."""
        self.stop_waiting(connection)
        connection.keeps_alive = keeps_alive
        try:
            self._finish_response(connection)
        except OSError:
            self.drop(connection)

    def _finish_response(self, connection: Connection) -> None:
        connection.sock.flush()
        if connection.sock.has_unsent():
            self.wait(connection, Waits.SENDING, self.limits.transfer_seconds)
        elif not connection.keeps_alive:
            connection.sock.end_sending()
            self.wait(connection, Waits.CLOSING, _CLOSING_SECONDS)
            self.go_on_closing(connection)
        else:
            if self.limits.proxies:
                self.forget_address(connection)
            connection.forget_request()
            seconds = self.cfg.keepalive if connection.is_idle else self.limits.head_seconds
            self.wait(connection, Waits.HEAD, seconds if self.alive else min(seconds, STOP_KEEPALIVE_LINGER))
            self.take_head(connection)
