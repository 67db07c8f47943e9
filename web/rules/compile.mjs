// Compiles the Python files of the rules, and of the standard library what they import, with the Python that runs them.
// Its options are folders: Pyodide, the sources, and the one to write to.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, sources, target] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
// Without the columns of each instruction, the files are a third smaller. Hashes decide the order of sets.
const env = { HOME: "/home/pyodide", PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" };
const python = await loadPyodide({ indexURL: pyodide, env });
python.mountNodeFS("/sources", sources);
python.mountNodeFS("/target", target);
python.runPython(readFileSync(new URL("compile_modules.py", import.meta.url), "utf8"));
