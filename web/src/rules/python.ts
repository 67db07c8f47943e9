// Python in WebAssembly with the rules of the service in it. This module runs in a worker, and in Node.js for the tests.

import type { Description } from "./messages.js";

/** What the manifest states of a file: its size, compressed and not, and its SHA-256. */
export interface ManifestFile {
  bytes: number;
  gzip: number;
  sha256: string;
}

export interface Manifest {
  scorer: number;
  pyodide: string;
  packages: Record<string, string>;
  files: Record<string, ManifestFile>;
}

export const ARCHIVE = "rules.zip";

/** The part of Pyodide that is used here. */
export interface Pyodide {
  globals: { get(name: string): PythonFunction; set(name: string, value: unknown): void };
  runPython(code: string): unknown;
  unpackArchive(archive: Uint8Array, format: string, options: { extractDir: string }): void;
}

type PythonFunction = (...values: string[]) => string;
export type LoadPyodide = (options: { indexURL: string }) => Promise<Pyodide>;

/** The archive is not the one that the manifest states. */
export class WrongDigest extends Error {}

export class PythonRules {
  private constructor(
    readonly description: Description,
    /** Score a hand; both values and the result are JSON. */
    readonly score: (round: string, hand: string) => string,
    /** Replay a round; it and the result are JSON. */
    readonly replay: (round: string) => string,
    /** Settle up; what the device has and the result are JSON. */
    readonly settle: (held: string) => string,
    /** Read a board as it is typed; it and the result are JSON. */
    readonly readTyped: (typed: string) => string,
  ) {}

  /** Check the archive, unpack it in Python, and import the rules. */
  static start(pyodide: Pyodide, manifest: Manifest, archive: Uint8Array): PythonRules {
    const expected = manifest.files[ARCHIVE]?.sha256;
    pyodide.globals.set("archive", archive);
    // Pages without HTTPS have no `crypto.subtle`, so Python computes the digest.
    const found = String(pyodide.runPython("import hashlib; hashlib.sha256(archive.to_py()).hexdigest()"));
    pyodide.runPython("del archive");
    if (found !== expected) throw new WrongDigest(`${ARCHIVE} has the digest ${found}; expected ${expected}`);
    pyodide.unpackArchive(archive, "zip", { extractDir: "/rules" });
    pyodide.runPython("import sys; sys.path.insert(0, '/rules'); from rules_adapter import describe_rules, read_typed, replay_round, score, settle_up");
    const described = JSON.parse(pyodide.globals.get("describe_rules")()) as Omit<Description, "digest">;
    const { globals } = pyodide;
    const [score, replay, settle, readTyped] = ["score", "replay_round", "settle_up", "read_typed"].map((name) => globals.get(name));
    return new PythonRules({ ...described, digest: found }, score!, replay!, settle!, readTyped!);
  }
}
