// Generates the types of the contract, compiles `src` to `dist`, and copies the license that `npm pack` adds.

import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const find = (path) => fileURLToPath(new URL(path, import.meta.url));

function run(program, ...options) {
  const done = spawnSync(process.execPath, [find(`../node_modules/${program}`), ...options], {
    cwd: find("."),
    stdio: ["ignore", 2, 2],
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

rmSync(find("dist"), { recursive: true, force: true });
run(
  "openapi-typescript/bin/cli.js",
  find("../../openapi-audit.yaml"),
  ...["--output", find("src/contract.ts")],
  ...["--root-types", "--root-types-no-schema-prefix", "--root-types-keep-casing"],
);
run("typescript/bin/tsc", "--project", "tsconfig.json");
copyFileSync(find("../../LICENSE"), find("LICENSE"));
