// The service worker of a page: serves its shell and its rules without a network. It caches nothing else, and sends nothing itself.

declare const SHELL: string;
declare const FILES: string[];
/** The messages of each language. Only those of languages that were used are cached. */
declare const MESSAGES: string[];
declare const VERSION: string;
const worker = self as unknown as ServiceWorkerGlobalScope;

const PREFIX = `shell ${SHELL} `;
const CACHE = PREFIX + VERSION;
const NETWORK_MILLISECONDS = 3_000;
/** The rules of the game: too large to wait for them, so they are cached when the page has them. */
const RULES = `${SHELL}rules/`;
/** The rules of each manifest have a cache, named by its digest. The last of these caches has the files to use. */
const RULES_PREFIX = `rules ${SHELL} `;
/** Lists the files of the rules with their digests. */
const MANIFEST = `${RULES}manifest.json`;
/** An entry of a cache that has all files of its manifest. */
const COMPLETE = `${RULES}complete`;

interface RulesManifest {
  files: Record<string, { sha256: string }>;
  scripts: Record<string, { sha256: string }>;
}

/** Store the shell. The names of its files contain their hashes, so that what is cached never changes. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  const page = await fetch(SHELL, { cache: "no-cache", credentials: "omit" });
  if (!page.ok) throw new Error(`${SHELL} responded ${page.status}`);
  const html = await page.clone().text();
  // While a new version is rolled out, the page and this worker may come from different servers.
  if (!FILES.slice(0, 2).every((file) => html.includes(file))) throw new Error("the page has another version");
  await cache.put(SHELL, page);
  for (const path of [...FILES, ...(await listUsedMessages())]) await store(cache, path);
}

async function store(cache: Cache, path: string): Promise<void> {
  const file = await fetch(path);
  if (!isFile(file)) throw new Error(`${path} responded ${file.status}`);
  await cache.put(path, file);
}

/** Return the messages of the languages that the version before has cached: this one may be opened without a network. */
async function listUsedMessages(): Promise<string[]> {
  const earlier = (await caches.keys()).filter((name) => name.startsWith(PREFIX)).map((name) => caches.open(name));
  const cached = (await Promise.all(earlier.map(async (cache) => (await cache).keys()))).flat();
  return MESSAGES.filter((path) => cached.some(({ url }) => url.includes(path.split("-", 2).join("-"))));
}

/** Return whether a response is a file, and not the login page of a hotel, which responds to any request. */
function isFile(response: Response): boolean {
  return response.ok && !response.redirected && response.headers.get("Content-Type")?.startsWith("text/html") !== true;
}

/** Remove the shells of earlier versions of this page, and control the open pages. */
async function activate(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  await worker.clients.claim();
}

/** Return a file of the shell; from the network if the browser has removed it from the cache. */
async function serve(request: Request, path: string): Promise<Response> {
  const cached = await caches.match(path, { cacheName: CACHE });
  return cached ?? fetch(request, { signal: AbortSignal.timeout(NETWORK_MILLISECONDS) });
}

async function listRules(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(RULES_PREFIX));
}

async function isComplete(name: string): Promise<boolean> {
  return (await caches.match(COMPLETE, { cacheName: name })) !== undefined;
}

async function digest(content: BufferSource): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the digests of everything that a manifest lists, by name. */
async function listDigests(manifest: Response | undefined): Promise<Map<string, string>> {
  const { files = {}, scripts = {} } = ((await manifest?.json()) ?? {}) as Partial<RulesManifest>;
  return new Map(Object.entries({ ...files, ...scripts }).map(([name, { sha256 }]) => [name, sha256]));
}

/** Begin the cache of the rules with a manifest, unless there is one, and return its name. Complete ones stay. */
async function beginRules(manifest: Response): Promise<string> {
  const begun = RULES_PREFIX + (await digest(await manifest.clone().arrayBuffer()));
  for (const name of await listRules()) if (name !== begun && !(await isComplete(name))) await caches.delete(name);
  const [earlier] = (await listRules()).filter((name) => name !== begun);
  const cache = await caches.open(begun);
  if (earlier !== undefined && (await cache.match(MANIFEST)) === undefined) await copyEqual(earlier, manifest.clone(), cache);
  await cache.put(MANIFEST, manifest);
  return begun;
}

/** Copy the files whose digests are those of a manifest: of most new rules, Python is the same. */
async function copyEqual(earlier: string, manifest: Response, cache: Cache): Promise<void> {
  const digests = await listDigests(await caches.match(MANIFEST, { cacheName: earlier }));
  for (const [name, expected] of await listDigests(manifest)) {
    const file = digests.get(name) === expected ? await caches.match(RULES + name, { cacheName: earlier }) : undefined;
    if (file !== undefined) await cache.put(RULES + name, file);
  }
}

/** Return the current manifest; without a network, that of the rules that are cached completely. */
async function serveManifest(request: Request): Promise<Response> {
  let received: Response | undefined;
  try {
    received = await fetch(request, { signal: AbortSignal.timeout(NETWORK_MILLISECONDS) });
    if (isFile(received)) await beginRules(received.clone());
  } catch {
    received = undefined;
  }
  if (received !== undefined && isFile(received)) return received;
  for (const name of await listRules()) if (!(await isComplete(name))) await caches.delete(name);
  const [complete] = await listRules();
  const cached = complete === undefined ? undefined : await caches.match(MANIFEST, { cacheName: complete });
  return cached ?? received ?? Response.error();
}

/** Return a file of the rules whose manifest was served last; from the network until it is cached. */
async function serveRules(request: Request, path: string): Promise<Response> {
  if (path === MANIFEST) return serveManifest(request);
  const current = (await listRules()).at(-1);
  const cached = current === undefined ? undefined : await caches.match(path, { cacheName: current });
  return cached ?? fetch(request);
}

/** Cache all files of the rules that the page uses, and only then delete those before. */
async function cacheRules(): Promise<void> {
  const current = (await listRules()).at(-1) ?? (await beginRules(await fetch(MANIFEST)));
  if (await isComplete(current)) return;
  const cache = await caches.open(current);
  for (const [name, expected] of await listDigests(await cache.match(MANIFEST))) {
    const path = RULES + name;
    if ((await cache.match(path)) !== undefined) continue;
    const file = await fetch(path);
    // While new rules are rolled out, a file can be of others than the manifest.
    if (!file.ok || (await digest(await file.clone().arrayBuffer())) !== expected) throw new Error(`${path} has another digest`);
    await cache.put(path, file);
  }
  await cache.put(COMPLETE, new Response());
  for (const name of await listRules()) if (name !== current) await caches.delete(name);
}

worker.addEventListener("install", (event) => event.waitUntil(install()));

worker.addEventListener("activate", (event) => event.waitUntil(activate()));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  if (request.mode === "navigate" && url.pathname === SHELL) event.respondWith(serve(request, SHELL));
  else if (url.pathname.startsWith(RULES)) event.respondWith(serveRules(request, url.pathname));
  else if ([...FILES, ...MESSAGES].includes(url.pathname)) event.respondWith(serve(request, url.pathname));
});

worker.addEventListener("message", (event) => {
  // A new version waits until the page, after asking, says that it may replace the one that runs.
  if (event.data === "activate") void worker.skipWaiting();
  // At the first visit, the page has loaded the rules before this worker controlled it.
  if (event.data === "cache rules") event.waitUntil(cacheRules());
  if (MESSAGES.includes(event.data)) event.waitUntil(caches.open(CACHE).then((cache) => store(cache, event.data)));
});
