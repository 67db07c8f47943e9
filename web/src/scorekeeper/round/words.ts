// Short words that several screens of a round have in common.

import type { Round } from "../../../client/src/contract.js";
import { gettext, ngettext, pgettext } from "../../language/gettext.js";

/** Return what is shown instead of a name that is not known. */
export function nameSeat(seat: number): string {
  return gettext("seat %(seat)s", { seat });
}

/** Return the state of a settlement. */
export function nameState(state: Round["state"]): string {
  switch (state) {
    case "open":
      return pgettext("state of a settlement", "open");
    case "provisional":
      return pgettext("state of a settlement", "provisional");
    case "disputed":
      return pgettext("state of a settlement", "disputed");
    case "final":
      return pgettext("state of a settlement", "final");
  }
}

/** Return a number of points, for example `1 point`. */
export function countPoints(points: number): string {
  return ngettext("%(count)s point", "%(count)s points", points);
}

/** Return what a player adds to their stack, for example `ben adds 50`. */
export function describeTopUp(player: string, points: number): string {
  return gettext("%(player)s adds %(points)s", { player, points });
}
