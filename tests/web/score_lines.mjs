// Scores hands with the rules for browsers, in Node.js: a line of JSON for each, `{"round": TEXT, "hand": TEXT}`.
// It loads the same files as the worker. The first line that it prints describes the rules.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const directory = process.argv[2];
const read = (name) => readFileSync(join(directory, name));
const { loadPyodide } = await import(pathToFileURL(join(directory, "pyodide.mjs")).href);
const { PythonRules } = await import(pathToFileURL(join(directory, "python.mjs")).href);

const started = performance.now();
const pyodide = await loadPyodide({ indexURL: directory });
const loaded = performance.now();
const rules = PythonRules.start(pyodide, JSON.parse(read("manifest.json")), new Uint8Array(read("rules.zip")));
const milliseconds = { python: loaded - started, rules: performance.now() - loaded };
console.log(JSON.stringify({ ...rules.description, milliseconds }));

for await (const line of createInterface({ input: process.stdin })) {
  const { round, hand } = JSON.parse(line);
  const before = performance.now();
  const result = rules.score(round, hand);
  console.log(JSON.stringify({ result, milliseconds: performance.now() - before }));
}
