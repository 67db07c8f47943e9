// Draws the icons of a page from its SVG.

import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The names of the drawn files, with their sizes in pixels. */
const SIZES = { "icon-180": 180, "icon-192": 192, "icon-512": 512 };
let started;

/** Return the files of an icon by their names: the SVG itself, and it as PNG in all sizes. */
export async function drawIcons(svg) {
  started ??= initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
  await started;
  const draw = (size) => Buffer.from(new Resvg(svg, { fitTo: { mode: "width", value: size } }).render().asPng());
  const drawn = Object.entries(SIZES).map(([name, size]) => [`${name}.png`, draw(size)]);
  return { "icon.svg": Buffer.from(svg), ...Object.fromEntries(drawn) };
}
