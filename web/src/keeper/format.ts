// How figures are shown.

/** Return a change of points with its sign, for example `+6` or `−8`. */
export function formatChange(points: number): string {
  if (points === 0) return "0";
  return points > 0 ? `+${points}` : `−${-points}`;
}

/** Return the class of a figure's colour. The sign says the same. */
export function signClass(points: number): string {
  if (points === 0) return "";
  return points > 0 ? "gain" : "loss";
}
