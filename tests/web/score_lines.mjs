// Scores hands with the rules for browsers, in Node.js: a line of JSON for each, `{"round": TEXT, "hand": TEXT}`.
// Without a hand, it replays the round; with `{"held": TEXT}` it settles up what a device has; `{"typed": TEXT}` is read.
// It loads the same files as the worker. The first line that it prints describes the rules.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const directory = process.argv[2];
const read = (name) => readFileSync(join(directory, name));
const { loadPyodide } = await import(pathToFileURL(join(directory, "pyodide.mjs")).href);
const { PythonRules } = await import(pathToFileURL(join(directory, "python.mjs")).href);

/** Return the milliseconds on the clock and of processor time since an earlier moment. */
function since([clock, processor]) {
  const { user, system } = process.cpuUsage(processor);
  return { clock: performance.now() - clock, processor: (user + system) / 1000 };
}
const now = () => [performance.now(), process.cpuUsage()];

const started = now();
const pyodide = await loadPyodide({ indexURL: directory });
const python = since(started);
const loaded = now();
const rules = PythonRules.start(pyodide, JSON.parse(read("manifest.json")), new Uint8Array(read("rules.zip")));
const milliseconds = { python, rules: since(loaded) };
console.log(JSON.stringify({ ...rules.description, milliseconds }));

for await (const line of createInterface({ input: process.stdin })) {
  const { round, hand, held, typed } = JSON.parse(line);
  const before = now();
  const compute = () => {
    if (typed !== undefined) return rules.readTyped(typed);
    if (held !== undefined) return rules.settle(held);
    return hand === null ? rules.replay(round) : rules.score(round, hand);
  };
  const result = compute();
  console.log(JSON.stringify({ result, milliseconds: since(before) }));
}
