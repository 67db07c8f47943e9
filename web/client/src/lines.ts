// NDJSON: one JSON document per line.

/** The media type. */
export const NDJSON = "application/x-ndjson";

const MOST_LINES = 500;
const MOST_BYTES = 1024 * 1024;

/** Return each line of a text, parsed. */
export function parseLines<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}

/** Return documents as lines; texts are lines already. */
export function writeLines(documents: Iterable<unknown>): string {
  return Array.from(documents, toLine).join("");
}

/** Split documents into bodies of `POST /v1/hands`: at most 500 lines and 1 MiB each. */
export function splitLines(documents: Iterable<unknown>): string[] {
  const encoder = new TextEncoder();
  const bodies: string[] = [];
  let body = "";
  let bytes = 0;
  let count = 0;
  for (const document of documents) {
    const line = toLine(document);
    const size = encoder.encode(line).length;
    if (count === MOST_LINES || (count > 0 && bytes + size > MOST_BYTES)) {
      bodies.push(body);
      [body, bytes, count] = ["", 0, 0];
    }
    body += line;
    bytes += size;
    count += 1;
  }
  return count === 0 ? bodies : [...bodies, body];
}

function toLine(document: unknown): string {
  return typeof document === "string" ? `${document.trimEnd()}\n` : `${JSON.stringify(document)}\n`;
}
