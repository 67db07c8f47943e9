// Builds the web pages into the folder that the service serves, or into that of `--target=`.
// With `--watch`, it builds them again after every change.

import { context, build, transform } from "esbuild";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawIcons } from "./icons.mjs";

const WEB = fileURLToPath(new URL(".", import.meta.url));
const SERVED = join(WEB, "..", "service", "pages", "static", "web");
const TARGET = process.argv.find((option) => option.startsWith("--target="))?.slice(9) ?? SERVED;
const CONTRACT = join(WEB, "client", "src", "contract.ts");
const OPENAPI = join(WEB, "..", "openapi-audit.yaml");
const ASSETS = "/static/web/assets/";
/** The titles of the pages, by their folders in `src`: the address of each is the name of its folder. */
const TITLES = { board: "Scoreboard", scorekeeper: "Scorekeeper" };
const PAGES = Object.keys(TITLES);
/** Scripts of pages that arrive before the others. They have no file in common with them. */
const EARLY = { scorekeeper_early: "src/scorekeeper/early.ts" };
/** The scripts and styles of pages that the service renders. */
const RENDERED = { console: "src/console/main.ts", players: "src/players/players.css" };

/** The messages of each language, as `messages.py` has written them. A page loads those of its language. */
const MESSAGES = Object.fromEntries(
  ["de", "fr", "ru"].map((language) => {
    const content = readFileSync(join(WEB, "build", "messages", `${language}.json`));
    return [language, { name: `messages-${language}-${hash(content)}.json`, content }];
  }),
);
const CATALOGUES = Object.fromEntries(Object.entries(MESSAGES).map(([language, { name }]) => [language, ASSETS + name]));

/** The oldest browsers that the pages are built for; `README.md` names them too. */
const BROWSERS = ["es2022", "chrome110", "firefox115", "safari16.4"];

const isWatching = process.argv.includes("--watch");

function hash(...contents) {
  const digest = createHash("sha256");
  for (const content of contents) digest.update(content);
  return digest.digest("hex").slice(0, 12);
}

function write(name, content) {
  const path = join(TARGET, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
}

/** Generate the types of the contract for the compiler, unless they are newer than it. Without the tools it is left out. */
function generateTypes() {
  if (existsSync(CONTRACT) && statSync(CONTRACT).mtimeMs > statSync(OPENAPI).mtimeMs) return;
  const generator = join(WEB, "node_modules", "openapi-typescript", "bin", "cli.js");
  if (!existsSync(generator)) return;
  const options = ["--root-types", "--root-types-no-schema-prefix", "--root-types-keep-casing"];
  const done = spawnSync(process.execPath, [generator, OPENAPI, "--output", CONTRACT, ...options], { stdio: ["ignore", 2, 2] });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** Fill the marks such as `{{script}}` of a template. */
function fill(template, values) {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`the template has an unknown mark '${name}'`);
    return values[name];
  });
}

/** Write everything of a page beside its script and style: icons, manifest, HTML and service worker. */
async function writePage(page, outputs) {
  const source = join(WEB, "src", page);
  const made = outputs.filter(({ path }) => basename(path).startsWith(`${page}-`));
  const addressOf = (end) => ASSETS + basename(made.find(({ path }) => path.endsWith(end)).path);
  const values = { script: addressOf(".js"), style: addressOf(".css") };
  const precached = [values.script, values.style];
  const early = outputs.find(({ path }) => basename(path).startsWith(`${page}_early-`));
  values.early = "";
  if (early !== undefined) {
    precached.push(ASSETS + basename(early.path));
    values.early = `<script type="module" async src="${precached.at(-1)}"></script>\n    `;
  }
  for (const [name, content] of Object.entries(await drawIcons(readFileSync(join(source, "icon.svg"), "utf8")))) {
    const [stem, type] = name.split(".");
    const file = `${page}-${stem}-${hash(content)}.${type}`;
    write(`assets/${file}`, content);
    values[stem.replace("-", "_")] = ASSETS + file;
    if (type === "svg") precached.push(ASSETS + file);
  }
  const manifest = fill(readFileSync(join(source, "manifest.json"), "utf8"), values);
  values.manifest = `${ASSETS}${page}-${hash(manifest)}.webmanifest`;
  write(`assets/${basename(values.manifest)}`, manifest);
  const html = fill(readFileSync(join(WEB, "src", "page.html"), "utf8"), { ...values, title: TITLES[page] });
  write(`${page}/index.html`, html);
  precached.push(values.manifest);
  await writeWorker(page, html, precached);
}

/** Write the service worker with the files that it caches. Its version is the hash of what it serves. */
async function writeWorker(page, html, precached) {
  const source = join(WEB, "src", "worker", "sw.ts");
  const define = {
    SHELL: JSON.stringify(`/${page}/`),
    FILES: JSON.stringify(precached),
    MESSAGES: JSON.stringify(Object.values(CATALOGUES)),
    VERSION: JSON.stringify(hash(html, precached.join())),
  };
  const { code } = await transform(readFileSync(source, "utf8"), { loader: "ts", target: BROWSERS, define });
  write(`${page}/sw.js`, code);
}

const LIGHT_DARK = /light-dark\(((?:[^(),]|\([^()]*\))+),\s*((?:[^(),]|\([^()]*\))+)\)/g;

/** Return the tokens with colours for browsers without `light-dark()`, which the others replace. */
function addFallbacks(tokens) {
  const declared = tokens.split("\n").filter((line) => /^\s*--.*light-dark\(/.test(line)).join("\n");
  const fallbacks = tokens.replace(LIGHT_DARK, "$1");
  const dark = `@media screen and (prefers-color-scheme: dark) { :root {\n${declared.replace(LIGHT_DARK, "$2")}\n} }`;
  const newer = `@supports (color: light-dark(#fff, #000)) { :root {\n${declared}\n} }`;
  // The rest of the file can replace colours, for example for more contrast.
  const end = fallbacks.indexOf("}") + 1;
  return `${fallbacks.slice(0, end)}\n${dark}\n${newer}\n${fallbacks.slice(end)}`;
}

const colours = {
  name: "colours",
  setup(builder) {
    builder.onLoad({ filter: /design.tokens\.css$/ }, ({ path }) => ({ contents: addFallbacks(readFileSync(path, "utf8")), loader: "css" }));
  },
};

const writer = {
  name: "write-pages",
  setup(builder) {
    builder.onStart(generateTypes);
    builder.onEnd(async ({ errors, outputFiles, metafile }) => {
      if (errors.length > 0) return;
      if (!isWatching) rmSync(TARGET, { recursive: true, force: true });
      for (const file of outputFiles) write(`assets/${basename(file.path)}`, file.contents);
      for (const { name, content } of Object.values(MESSAGES)) write(`assets/${name}`, content);
      for (const page of PAGES) await writePage(page, outputFiles);
      const sizes = Object.entries(metafile.outputs);
      const files = Object.fromEntries(sizes.map(([name, { bytes, entryPoint }]) => [basename(name), { bytes, entry: entryPoint ?? null }]));
      write("files.json", `${JSON.stringify(files, null, 2)}\n`);
      if (isWatching) console.error(`built ${new Date().toLocaleTimeString()}`);
    });
  },
};

const options = {
  absWorkingDir: WEB,
  entryPoints: { ...Object.fromEntries(PAGES.map((page) => [page, `src/${page}/main.tsx`])), ...EARLY, ...RENDERED },
  entryNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  outdir: join(TARGET, "assets"),
  publicPath: ASSETS,
  bundle: true,
  loader: { ".svg": "dataurl" },
  define: { CATALOGUES: JSON.stringify(CATALOGUES) },
  // A page has one script beside the early one, so that its service worker caches all of it, and it starts after one request.
  splitting: false,
  format: "esm",
  minify: !isWatching,
  target: BROWSERS,
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
  write: false,
  plugins: [colours, writer],
  logLevel: "warning",
};

if (isWatching) {
  await (await context(options)).watch();
  console.error("Watching web/src. Press Ctrl-C to stop.");
} else {
  await build(options);
}
