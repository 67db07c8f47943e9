"""A page in a real browser that scores with the rules, under the policy that pages need, and posts the results."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, ClassVar, Final

from web.install import find_node
from web.rules.build import compile_scripts

Document = dict[str, Any]
POLICY: Final = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"
PACKAGES: Final = Path(__file__).parents[2] / "web" / "node_modules"
_PAGE: Final = '<!doctype html><title>rules</title><script type="module" src="/page.js"></script>'
_SCRIPT: Final = """
import { startRules } from "/index.js";

const violations = [];
addEventListener("securitypolicyviolation", ({ violatedDirective }) => violations.push(violatedDirective));
const progress = [];
const started = performance.now();
const rules = startRules((each) => progress.push(each), "/rules/");
const description = await rules.describe();
const ready = performance.now() - started;
const results = [];
for (const { round, hand } of await (await fetch("/hands.json")).json()) {
  const before = performance.now();
  results.push({ scored: await rules.score(round, hand), milliseconds: performance.now() - before });
}
const warm = performance.now();
const again = await startRules(() => undefined, "/rules/").describe();
const found = { description, again, progress, results, violations, ready, warm: performance.now() - warm };
rules.stop();
found.stopped = await rules.score({ document: {}, ruleset: {} }, {});
await fetch("/found", { method: "POST", body: JSON.stringify(found) });
"""


def find_chromium() -> str | None:
    """Return the program of Chromium: Debian's, or the one of the npm package `@sparticuz/chromium`."""
    installed = shutil.which("chromium")
    if installed or not (PACKAGES / "@sparticuz" / "chromium").exists():
        return installed
    script = "import chromium from '@sparticuz/chromium'; console.log(await chromium.executablePath())"
    command = [*find_node(), "--input-type=module", "--eval", script]
    return subprocess.run(command, cwd=PACKAGES.parent, capture_output=True, text=True, check=True).stdout.strip()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    found: "Queue[Document]"


class _Handler(SimpleHTTPRequestHandler):
    extensions_map: ClassVar = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".wasm": "application/wasm",
        ".mjs": "text/javascript",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def do_GET(self) -> None:
        """Send scripts and WebAssembly compressed, as a web server in front of the service does."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".mjs", ".wasm"):
            super().do_GET()
            return
        content = gzip.compress(path.read_bytes(), 1)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path.name))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        assert isinstance(self.server, _Server)
        self.server.found.put(json.loads(body))

    def log_message(self, *_: object) -> None:
        pass


def score_in_chromium(program: str, built: Path, hands: Sequence[Document], *, seconds: float = 120) -> Document:
    """Open a page that scores hands, and return what it found."""
    with TemporaryDirectory() as directory:
        root = Path(directory)
        shutil.copytree(built, root / "rules")
        compile_scripts(root)
        (root / "index.html").write_text(_PAGE)
        (root / "page.js").write_text(_SCRIPT)
        (root / "hands.json").write_text(json.dumps(hands))
        with _Server(("127.0.0.1", 0), partial(_Handler, directory=directory)) as server:
            server.found = Queue()
            Thread(target=server.serve_forever, daemon=True).start()
            options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={root / 'profile'}"]
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            with subprocess.Popen([program, *options, address], stderr=subprocess.DEVNULL) as process:
                try:
                    return server.found.get(timeout=seconds)
                finally:
                    process.kill()
                    server.shutdown()
