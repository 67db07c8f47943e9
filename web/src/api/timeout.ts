/** How long one request can take before the page counts as offline, in milliseconds. */
export const TIMEOUT = 3_000;

/** How long one request can take that nobody waits for: a slow network responds too, only later. In milliseconds. */
export const BACKGROUND_TIMEOUT = 30_000;

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
