import { useEffect, useRef } from "preact/hooks";

interface Props {
  details: string[] | null;
  /** Whether the page did by itself what failed: then nothing scrolls away from what the scorekeeper looks at. */
  isQuiet?: boolean;
}

/** Why something cannot be done, beside what caused it. It is announced, and scrolled to. */
export function Problem({ details, isQuiet = false }: Props) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isQuiet) shown.current?.scrollIntoView({ block: "nearest" });
  }, [details]);
  if (details === null) return null;
  return <div ref={shown} class="notice error" role="alert">{details.map((detail) => <p key={detail}>{detail}</p>)}</div>;
}
