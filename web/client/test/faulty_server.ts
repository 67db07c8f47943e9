// A server that sends given responses, the last one for ever, and records the requests.

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after } from "node:test";

export interface Received {
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}

/** Close the connection without a response. */
export const NOTHING = "nothing";
/** Close the connection in the middle of the body. */
export const CUT_OFF = "cut off";
/** Leave the request without a response. */
export const HANG = "hang";

export type Step = Reply | typeof NOTHING | typeof CUT_OFF | typeof HANG;

export function reply(status: number, document: unknown, headers: Record<string, string> = {}): Reply {
  return { status, type: "application/json", body: JSON.stringify(document), headers };
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Reply {
  const errors = [{ pointer: "#/number", code: "hand-number", detail: "is 9; expected 1" }];
  const texts = { type: `/problems/${code}`, title: "No", code, detail: `no: ${code}` };
  const document = { ...texts, status, request_id: "7", errors };
  return { status, type: "application/problem+json", body: JSON.stringify(document), headers };
}

export const HTML: Reply = { status: 502, type: "text/html", body: "<h1>Bad gateway</h1>" };
export const DOWN: Reply = problem(503, "database-unavailable");
export const BUSY: Reply = problem(409, "busy");
export const IN_USE: Reply = problem(409, "idempotency-key-in-use");

/** Start a server; it stops after the test. */
export async function serve(...steps: Step[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      received.push({ target: `${request.method} ${request.url}`, headers: request.headers, body });
      const step = steps.length > 1 ? steps.shift()! : steps[0]!;
      if (step === HANG) return;
      if (step === NOTHING) return void request.socket.destroy();
      if (step === CUT_OFF) {
        response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
        response.write("{");
        setImmediate(() => request.socket.destroy());
        return;
      }
      response.writeHead(step.status, { "Content-Type": step.type, Connection: "close", ...step.headers });
      response.end(step.body);
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => close(server, sockets));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function close(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}
