import assert from "node:assert/strict";
import { test } from "node:test";
import type { Round } from "../../../client/src/contract.js";
import { ApiError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";
import { refuseTopUps, type Asked } from "./refusals.js";

const ROUND = { id: "r", ruleset: "pineapple@1", next: { number: 2, button: 1 }, seats: [{ seat: 1, player: "ann" }, { seat: 2, player: "ben" }] };

/** Ask without rules on the device; the service refuses the hand. */
function ask(status: number, code: string, pointer: string): Promise<string[]> {
  const problem = { type: "", title: "", status, code, detail: code, request_id: "", errors: [{ pointer, code, detail: code }] };
  const post = () => Promise.reject(new ApiError(problem as ConstructorParameters<typeof ApiError>[0]));
  const asked = { session: { client: { post } } as unknown as Session, rules: null, round: ROUND as unknown as Round, isWaiting: false };
  return refuseTopUps(asked as Asked, [{ seat: 2, points: 1 }]);
}

test("a rebuy is allowed if the service refuses only the cards, which are not known yet", async () => {
  assert.deepEqual(await ask(422, "cards-count", "#/players/0/top"), []);
});

test("a rebuy that the service refuses is refused", async () => {
  assert.equal((await ask(422, "top-up-refused", "#/top_ups/0")).length, 1);
});

test("nothing is known about a rebuy in a round that has changed since", async () => {
  await assert.rejects(ask(409, "round-ended", "#"), ApiError);
});
