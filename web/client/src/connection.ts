import { ApiError, parseProblem, TablestakesError, TransportError } from "./errors.js";
import { isTemporary, pauseBefore, requestedWait, UNAVAILABLE, wait, type RetryRules } from "./retries.js";

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
    for (;;) {
      const response = await this.attempt(request);
      const requested = this.requestedWait(response);
      if (requested !== undefined) {
        if (++waits > this.rules.waits) return this.check(response, request);
        await wait(requested, request.signal);
      } else {
        const isLast = ++failures >= this.rules.attempts || performance.now() - started > this.rules.retryFor;
        if (isLast || !this.isFailure(response)) return this.check(response, request);
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
    if (UNAVAILABLE.has(status)) throw new TransportError(`${this.url} is not available: ${problem.detail}`);
    throw new ApiError(problem);
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

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}
