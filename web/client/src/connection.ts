import { ApiError, parseProblem, TablestakesError, TransportError } from "./errors.js";
import { isTemporary, pauseBefore, requestedWait, UNAVAILABLE, wait, type RetryRules } from "./retries.js";

/** A wait is reported when a request takes longer, in milliseconds. */
const SILENT = 1_000;

/** What codes of Node.js mean. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "unknown host",
  ETIMEDOUT: "timed out",
  UND_ERR_CONNECT_TIMEOUT: "timed out",
  UND_ERR_SOCKET: "the connection was closed",
};

const ACCEPT = "application/json, application/x-ndjson;q=0.9, text/plain;q=0.8";

/** A request, ready to be sent any number of times. */
export interface PreparedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

/** A response with its whole body. */
export interface RawResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** Sends requests to one service, and retries them. */
export class Connection {
  readonly url: string;

  constructor(
    url: string,
    private readonly key: string | undefined,
    private readonly rules: RetryRules,
    private readonly fetch: typeof globalThis.fetch,
    private readonly onWaiting: ((reason: TransportError) => void) | undefined,
  ) {
    this.url = checkUrl(url);
    if (key !== undefined && !/^[!-~]+$/.test(key)) {
      throw new TablestakesError("the key has a space, a line break or an invalid character; expected one key");
    }
  }

  /**
   * Send a request until there is a response that a retry would not change, and return it if it is a success.
   *
   * Throws an ApiError if the service refuses the request, and a TransportError if it does not respond.
   */
  async send(request: PreparedRequest): Promise<RawResponse> {
    const started = performance.now();
    let failures = 0;
    let waits = 0;
    let isReported = false;
    for (;;) {
      const response = await this.attempt(request);
      const requested = this.requestedWait(response);
      if (requested !== undefined) {
        if (++waits > this.rules.waits) return this.check(response, request);
        if (requested > SILENT) {
          this.onWaiting?.(new TransportError(`${this.url} asks to wait for ${requested / 1000} seconds`));
        }
        await wait(requested, request.signal);
      } else {
        const waited = performance.now() - started;
        const isOften = ++failures >= this.rules.attempts && !(isRefused(response) && this.rules.attempts > 1);
        const isLast = isOften || waited > this.rules.retryFor;
        if (isLast || !this.isFailure(response)) return this.check(response, request);
        if (waited >= SILENT && !isReported) {
          isReported = true;
          this.onWaiting?.(this.reasonToWait(response));
        }
        await wait(pauseBefore(failures, this.rules), request.signal);
      }
    }
  }

  /** Return an error that the response comes from another server. */
  unexpected(response: RawResponse): TransportError {
    const kind = mediaType(response.headers) || "no content type";
    const found = `${response.status} with ${kind}`;
    return new TransportError(
      `${this.url} responded ${found}, which is not a response of Tablestakes; is the address right?`,
    );
  }

  private async attempt(request: PreparedRequest): Promise<RawResponse | TransportError> {
    const timeout = AbortSignal.timeout(this.rules.timeout);
    const signal = request.signal === undefined ? timeout : eitherOf(timeout, request.signal);
    const authorization: Record<string, string> = this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` };
    try {
      const response = await this.fetch(this.url + request.path, {
        method: request.method,
        headers: { Accept: ACCEPT, ...authorization, ...request.headers },
        redirect: "manual",
        signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      return { status: response.status, headers: response.headers, body: await response.text() };
    } catch (error) {
      request.signal?.throwIfAborted();
      return new TransportError(`${this.url} does not respond (${reasonOf(error)}); is the service running there?`, {
        cause: error,
      });
    }
  }

  private requestedWait(response: RawResponse | TransportError): number | undefined {
    if (response instanceof TransportError) return undefined;
    return requestedWait(response.status, response.headers.get("Retry-After"), this.rules);
  }

  private isFailure(response: RawResponse | TransportError): boolean {
    if (response instanceof TransportError) return true;
    return isTemporary(response.status, parseProblem(response.status, response.body)?.code);
  }

  private check(response: RawResponse | TransportError, request: PreparedRequest): RawResponse {
    if (response instanceof TransportError) throw response;
    const { status } = response;
    if (status === 204 || status === 304) return response;
    if (status >= 200 && status < 300) {
      const accepted = request.headers["Accept"] ?? ACCEPT;
      if (!accepted.includes(mediaType(response.headers) || "nothing")) throw this.unexpected(response);
      return response;
    }
    const problem = parseProblem(status, response.body);
    if (problem === undefined) throw this.unexpected(response);
    if (UNAVAILABLE.has(status)) throw this.notAvailable(problem.detail);
    throw new ApiError(problem);
  }

  private reasonToWait(response: RawResponse | TransportError): TransportError {
    if (response instanceof TransportError) return response;
    return this.notAvailable(parseProblem(response.status, response.body)?.detail ?? `status ${response.status}`);
  }

  private notAvailable(detail: string): TransportError {
    return new TransportError(`${this.url} is not available: ${detail}`);
  }
}

/** Return a signal that aborts when one of two does. Safari before 17.4 has no `AbortSignal.any`. */
function eitherOf(one: AbortSignal, other: AbortSignal): AbortSignal {
  const controller = new AbortController();
  for (const signal of [one, other]) {
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true, signal: controller.signal });
  }
  return controller.signal;
}

/** Return the content type without its parameters. */
export function mediaType(headers: Headers): string {
  return (headers.get("Content-Type") ?? "").split(";")[0]!.trim();
}

function checkUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TablestakesError(`'${url}' is not the URL of a service; expected a URL such as http://127.0.0.1:8000`);
  }
  return url.replace(/\/+$/, "");
}

/** Return whether nothing listens on the port. Only Node.js, Bun and Deno say so; browsers do not. */
function isRefused(response: RawResponse | TransportError): boolean {
  return response instanceof TransportError && codeOf(response.cause) === "ECONNREFUSED";
}

function codeOf(error: unknown): string | undefined {
  return (error as { cause?: { code?: string } }).cause?.code;
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { message?: string } };
  const message = cause?.message ?? (error instanceof Error ? error.message : String(error));
  return REASONS[codeOf(error) ?? ""] ?? (message || codeOf(error) || "unknown error");
}
