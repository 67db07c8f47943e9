// The service worker of a page: serves its shell without a network. It caches nothing else, and sends nothing itself.

declare const SHELL: string;
declare const FILES: string[];
declare const VERSION: string;
const worker = self as unknown as ServiceWorkerGlobalScope;

const PREFIX = `shell ${SHELL} `;
const CACHE = PREFIX + VERSION;
const NETWORK_MILLISECONDS = 3_000;
/** The rules of the game: too large to wait for them, so they are cached when the page loads them. */
const RULES = `${SHELL}rules/`;
const RULES_CACHE = `rules ${SHELL}`;
/** Lists the files of the rules with their digests. */
const MANIFEST = `${RULES}manifest.json`;

/** Store the shell. The names of its files contain their hashes, so that what is cached never changes. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  const page = await fetch(SHELL, { cache: "no-cache", credentials: "omit" });
  if (!page.ok) throw new Error(`${SHELL} responded ${page.status}`);
  const html = await page.clone().text();
  // While a new version is rolled out, the page and this worker may come from different servers.
  if (!FILES.slice(0, 2).every((file) => html.includes(file))) throw new Error("the page has another version");
  await cache.put(SHELL, page);
  await cache.addAll(FILES);
}

/** Remove the shells of earlier versions of this page, and control the open pages. */
async function activate(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await worker.clients.claim();
}

/** Return a file of the shell; from the network if the browser has removed it from the cache. */
async function serve(request: Request, path: string): Promise<Response> {
  const cached = await caches.match(path, { cacheName: CACHE });
  return cached ?? fetch(request, { signal: AbortSignal.timeout(NETWORK_MILLISECONDS) });
}

/** Return a file of the rules from the cache, or load it. */
async function serveRules(event: FetchEvent, path: string): Promise<Response> {
  const cache = await caches.open(RULES_CACHE);
  const cached = await cache.match(path);
  if (cached !== undefined && path !== MANIFEST) return cached;
  if (cached === undefined) return store(event, cache, path, await fetch(event.request));
  try {
    const current = await fetch(event.request, { signal: AbortSignal.timeout(NETWORK_MILLISECONDS) });
    if (!current.ok || (await current.clone().text()) === (await cached.clone().text())) return cached;
    // Other rules: none of their files is the one that is cached.
    await caches.delete(RULES_CACHE);
    return store(event, await caches.open(RULES_CACHE), path, current);
  } catch {
    return cached;
  }
}

/** Cache a response while it is returned. */
function store(event: FetchEvent, cache: Cache, path: string, response: Response): Response {
  if (response.ok) event.waitUntil(cache.put(path, response.clone()));
  return response;
}

worker.addEventListener("install", (event) => {
  event.waitUntil(install());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  if (request.mode === "navigate" && url.pathname === SHELL) event.respondWith(serve(request, SHELL));
  else if (url.pathname.startsWith(RULES)) event.respondWith(serveRules(event, url.pathname));
  else if (FILES.includes(url.pathname)) event.respondWith(serve(request, url.pathname));
});

// A new version waits until the page, after asking, says that it may replace the one that runs.
worker.addEventListener("message", (event) => {
  if (event.data === "activate") void worker.skipWaiting();
});
