// When and how often a request is sent again: the rules of the Python client.

/** How requests are retried. Times are in milliseconds. */
export interface RetryRules {
  /**
   * How often a request is sent at most, if the service does not respond or is unavailable or busy. Default: 4.
   * A refused connection is retried for as long as `retryFor`, because the service is being restarted; with 1 it is not.
   */
  attempts: number;
  /** The pause before the first retry; it doubles with each one, and up to as much is added at random. Default: 200. */
  firstPause: number;
  /** The longest pause between retries. Default: 2,000. */
  longestPause: number;
  /** No retry of a failure starts later than this after the first attempt. Default: 20,000. */
  retryFor: number;
  /** How often the client waits for as long as a 429 or 503 says in `Retry-After`. Default: 3. */
  waits: number;
  /** The longest `Retry-After` that the client waits for; a longer one is an error at once. Default: 60,000. */
  longestWait: number;
  /** How long one attempt can take. Default: 30,000. */
  timeout: number;
}

export const RETRY_RULES: RetryRules = {
  attempts: 4,
  firstPause: 200,
  longestPause: 2_000,
  retryFor: 20_000,
  waits: 3,
  longestWait: 60_000,
  timeout: 30_000,
};

/** Statuses of a service, or of a gateway in front of it, that is unavailable for the moment. */
export const UNAVAILABLE: ReadonlySet<number> = new Set([408, 502, 503, 504]);

/** Codes of conflicts that end by themselves: the round is locked, or the first request is still running. */
const BUSY: ReadonlySet<string> = new Set(["busy", "idempotency-key-in-use"]);

/** Return whether a retry can have another result. */
export function isTemporary(status: number, code: string | undefined): boolean {
  return UNAVAILABLE.has(status) || (status === 409 && code !== undefined && BUSY.has(code));
}

/** Return how long the service asks the client to wait, or undefined if it does not, or for too long. */
export function requestedWait(status: number, header: string | null, rules: RetryRules): number | undefined {
  if ((status !== 429 && status !== 503) || header === null || !/^\d+$/.test(header)) return undefined;
  const wait = Number(header) * 1000;
  return wait <= rules.longestWait ? wait : undefined;
}

/** Return the pause before a retry: exponential, with jitter. */
export function pauseBefore(retry: number, rules: RetryRules): number {
  const pause = rules.firstPause * 2 ** (retry - 1);
  return Math.min(rules.longestPause, pause + Math.random() * rules.firstPause);
}

/** Wait, unless the signal cancels the call. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", cancel);
      resolve();
    }, milliseconds);
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
}
