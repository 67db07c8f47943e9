export { Tablestakes } from "./client.js";
export type { ClientOptions, Result } from "./client.js";
export type * from "./contract.js";
export { ApiError, TablestakesError, TransportError } from "./errors.js";
export { RETRY_RULES, type RetryRules } from "./retries.js";
export type { CallOptions, Data, Item, Operation, Options } from "./types.js";
