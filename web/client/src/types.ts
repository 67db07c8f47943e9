// The types of requests and responses of an operation, computed from the contract.

import type { paths } from "./contract.js";

export type Method = "get" | "put" | "post" | "patch" | "delete";

/** The paths of the contract that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, unknown> ? P : never;
}[keyof paths];

/** The operation of a method and a path. */
export type Operation<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O> ? O : never;

type Content<O> = O extends { responses: infer R }
  ? R[keyof R & (200 | 201 | 202 | 204)] extends infer Success
    ? Success extends { content: infer C }
      ? C
      : Record<never, never>
    : never
  : never;

/** What a call returns: the JSON of the response, the text of another media type, or undefined without a body. */
export type Data<O> =
  Content<O> extends { "application/json": infer J } ? J : [keyof Content<O>] extends [never] ? undefined : string;

/** An item of a list of which the service sends a page at a time. */
export type Item<O> =
  Data<O> extends infer Page extends { next_cursor: string | null }
    ? { [K in keyof Page]-?: Page[K] extends (infer I)[] ? I : never }[keyof Page]
    : never;

/** The paths of such lists. */
export type ListPath = {
  [P in PathWith<"get">]: Data<Operation<"get", P>> extends { next_cursor: string | null } ? P : never;
}[PathWith<"get">];

type Parameters<O, Where extends string> = O extends { parameters: { [W in Where]?: infer V } }
  ? Exclude<V, undefined>
  : never;

type Given<Name extends string, V> = [V] extends [never]
  ? Record<never, never>
  : Record<never, never> extends V
    ? { [N in Name]?: V }
    : { [N in Name]: V };

type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } }
  ? { body: B }
  : O extends { requestBody: { content: Record<string, unknown> } }
    ? { body: string }
    : Record<never, never>;

/** Options of every call. */
export interface CallOptions {
  /** Identifies the request, so that it takes effect once. Default: a new UUID for each POST. `null` sends none. */
  idempotencyKey?: string | null;
  /** Headers in addition to those that the client sends, for example `If-None-Match`. */
  headers?: Record<string, string>;
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** The options of a call: parameters of the path and of the query, and the body, as the contract has them. */
export type Options<O> = CallOptions &
  Given<"path", Parameters<O, "path">> &
  Given<"query", Parameters<O, "query">> &
  Body<O>;

/** The arguments after the path. They can be omitted if the operation requires none. */
export type Arguments<O> = Record<never, never> extends Options<O> ? [options?: Options<O>] : [options: Options<O>];
