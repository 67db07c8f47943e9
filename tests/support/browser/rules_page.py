"""A page in a real browser that scores with the rules, under the policy that pages need."""

import gzip
import json
import shutil
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, ClassVar, Final

from playwright.sync_api import Browser

from web.rules.build import compile_scripts

Document = dict[str, Any]
POLICY: Final = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"
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
window.found = found;
"""


class _Server(ThreadingHTTPServer):
    daemon_threads = True


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

    def log_message(self, *_: object) -> None:
        pass


def score_in_browser(browser: Browser, built: Path, hands: Sequence[Document], *, seconds: float = 120) -> Document:
    """Open a page that scores hands, and return what it found."""
    with TemporaryDirectory() as directory:
        root = Path(directory)
        shutil.copytree(built, root / "rules")
        compile_scripts(root)
        (root / "index.html").write_text(_PAGE)
        (root / "page.js").write_text(_SCRIPT)
        (root / "hands.json").write_text(json.dumps(hands))
        with _Server(("127.0.0.1", 0), partial(_Handler, directory=directory)) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            page = browser.new_page()
            try:
                page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
                # An expression would be evaluated by `eval`, which the policy forbids.
                result: Document = page.wait_for_function("() => window.found", timeout=1000 * seconds).json_value()
                return result
            finally:
                page.close()
                server.shutdown()
