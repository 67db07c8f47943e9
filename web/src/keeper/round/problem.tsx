/** Why something cannot be done. */
export function Problem({ details }: { details: string[] | null }) {
  if (details === null) return null;
  return <div class="notice error" role="alert">{details.map((detail) => <p key={detail}>{detail}</p>)}</div>;
}
