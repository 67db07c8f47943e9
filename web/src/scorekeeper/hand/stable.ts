import { useCallback, useRef } from "preact/hooks";

/** Return a function that never changes and calls the latest version of another one. What only receives it need not be rendered again. */
export function useStable<Arguments extends unknown[]>(call: (...args: Arguments) => void): (...args: Arguments) => void {
  const latest = useRef(call);
  latest.current = call;
  return useCallback((...args: Arguments) => latest.current(...args), []);
}
