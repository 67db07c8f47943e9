/** How long one request can take before the page counts as offline, in milliseconds. */
export const TIMEOUT = 3_000;
