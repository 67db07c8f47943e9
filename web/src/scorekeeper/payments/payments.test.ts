import assert from "node:assert/strict";
import { test } from "node:test";
import { Tablestakes } from "../../../client/src/client.js";
import type { Table } from "../../../client/src/contract.js";
import { sendAll } from "../../api/outbox.js";
import { paymentOf, type Payment } from "../../api/payments.js";
import type { Session } from "../../api/session.js";
import type { HeldBalances, Rules, SettledUnit } from "../../rules/index.js";
import { readOutbox } from "../outbox_storage.js";
import { readAccount } from "./reading.js";
import { makePayment, makeReversal, settleUp, type Line } from "./settling.js";
import { addPayment, beginPayment, completePayment, dropRecorded, refusePayment, takeBack } from "./storage.js";

const PLAYERS = ["ann", "ben", "cyd"];

/** A service with payments, over a network that can lose requests and responses. */
class Service {
  readonly owed: Record<string, number> = { ann: 500, ben: 300, cyd: -800 };
  readonly payments: { id: string; payment: Payment; isTakenBack: boolean }[] = [];
  /** What the network loses next. */
  fault: "request" | "response" | null = null;
  /** What happens while balances are read. */
  meanwhile: (() => Promise<void>) | null = null;

  get balances(): Record<string, number> {
    const balances = { ...this.owed };
    for (const { payment, isTakenBack } of this.payments) if (!isTakenBack) pay(balances, payment);
    return balances;
  }

  readonly fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { fault } = this;
    if (fault !== null && init?.method === "POST") this.fault = null;
    if (fault === "request") throw new TypeError("failed to fetch");
    const response = await this.respond(new URL(String(url)), init?.body === undefined ? null : String(init.body));
    if (fault === "response") throw new TypeError("failed to fetch");
    return Response.json(response, { status: init?.method === "POST" ? 201 : 200 });
  };

  private async respond({ pathname, search }: URL, body: string | null): Promise<object> {
    if (pathname === "/v1/rounds") return { rounds: [] };
    if (pathname === "/v1/balances") {
      const players = Object.entries(this.balances).map(([player, balance]) => ({ player, balance }));
      await this.meanwhile?.();
      return { units: [{ unit: "EUR", unit_digits: 2, table_name: null, players, settle_up: [], payments_are: "fewest" }] };
    }
    const [, , , entry] = pathname.split("/");
    if (entry !== undefined) {
      this.payments.find(({ id }) => id === entry)!.isTakenBack = true;
      return { id: `reversal-of-${entry}`, reverses: entry };
    }
    const payment = JSON.parse(body!) as Payment;
    const same = this.payments.find((each) => each.payment.reference === payment.reference);
    if (same === undefined && search === "") this.payments.push({ id: `entry-${this.payments.length}`, payment, isTakenBack: false });
    const { id } = same ?? this.payments.at(-1) ?? { id: "none" };
    return { id, ...payment, ...(same?.isTakenBack ? { warnings: [{ pointer: "#", code: "payment-reversed", detail: "d" }] } : {}) };
  }
}

function pay(balances: Record<string, number>, { payer, payee, amount }: Pick<Payment, "payer" | "payee" | "amount">): void {
  balances[payer!] = (balances[payer!] ?? 0) + amount;
  balances[payee!] = (balances[payee!] ?? 0) - amount;
}

/** Stands for the rules, which have tests of their own: it adds up, and proposes what the first who owes pays the others. */
const RULES = {
  settle: async ({ units, payments }: HeldBalances) => {
    const balances: Record<string, number> = Object.fromEntries(PLAYERS.map((player) => [player, 0]));
    for (const { players } of units) for (const { player, balance } of players) balances[player!] = balance;
    for (const paid of payments) pay(balances, { ...paid, amount: paid.is_taken_back ? -paid.amount : paid.amount });
    const [payer] = PLAYERS.filter((player) => balances[player]! < 0);
    const winners = payer === undefined ? [] : PLAYERS.filter((player) => balances[player]! > 0);
    const settle_up = winners.map((payee) => ({ payer: payer!, payee, amount: Math.min(-balances[payer!]!, balances[payee]!) }));
    const players = PLAYERS.map((player) => ({ player, balance: balances[player]! }));
    const settled: SettledUnit = { unit: "EUR", players, settle_up, is_fewest: true };
    return { kind: "settled", units: [settled] };
  },
} as unknown as Rules;

/** A phone at a table of its own. */
class Phone {
  readonly service = new Service();
  readonly table: Table;
  private readonly session: Session;

  constructor(name: string) {
    this.table = { id: name, name, point_value: 10, unit: "EUR", unit_digits: 2 } as Table;
    const retries = { attempts: 1, waits: 0 };
    const background = new Tablestakes({ url: "http://service", key: "k", retries, fetch: this.service.fetch });
    this.session = { background, link: { table: name } } as unknown as Session;
  }

  read = (): Promise<boolean> => readAccount(this.session, this.table);

  async lines(): Promise<Line[]> {
    return (await settleUp(RULES, this.table))!.units.flatMap(({ lines }) => lines);
  }

  async balances(): Promise<Record<string, number>> {
    const { units } = (await settleUp(RULES, this.table))!;
    return Object.fromEntries(units[0]!.balances.map(({ player, balance }) => [player!, balance]));
  }

  tick = (line: Line): Promise<number | null> => addPayment(makePayment(this.table, line), line.known);
  untick = (line: Line): Promise<number | null> => takeBack(makeReversal(this.table, line));

  async send(): Promise<string> {
    const read = async () => (await readOutbox()).filter((request) => request.table.id === this.table.id);
    const complete = async (): Promise<void> => undefined;
    const storage = { read, change: refusePayment, complete, beginPayment, completePayment };
    return (await sendAll(this.session.background, storage)).kind;
  }

  async waiting(): Promise<string[]> {
    return (await readOutbox()).filter(({ table }) => table.id === this.table.id).map(({ operation }) => operation);
  }
}

test("a payment in a unit of the club has its digits in words", () => {
  const unit = { unit: "mBTC", unit_digits: 5, table_name: null };
  const line: Line = { payer: "cyd", payee: "ann", amount: 125000, unit, tick: null, known: [] };
  const request = makePayment({ id: "t", name: "t" } as Table, line);
  assert.equal(request.label, "Payment of cyd to ann, 1.25000\u{a0}mBTC");
  assert.equal((JSON.parse(request.body) as Payment).unit, "mBTC");
});

test("a proposal that is ticked twice is one payment", async () => {
  const phone = new Phone("twice");
  await phone.read();
  const [line] = await phone.lines();
  assert.notEqual(await phone.tick(line!), null);
  assert.equal(await phone.tick(line!), null);
  assert.deepEqual(await phone.waiting(), ["record_payment"]);
});

test("a payment that is owed again can be ticked again", async () => {
  const phone = new Phone("again");
  await phone.read();
  const [line] = await phone.lines();
  await phone.tick(line!);
  await phone.send();
  phone.service.owed.ann! += 500;
  phone.service.owed.cyd! -= 500;
  await phone.read();
  const again = (await phone.lines()).find(({ tick, payee }) => tick === null && payee === "ann");
  assert.notEqual(await phone.tick(again!), null);
  assert.equal(await phone.tick(line!), null, "the first proposal does not know the payment");
});

test("the undo of a tick before it is sent removes it", async () => {
  const phone = new Phone("removed");
  await phone.read();
  await phone.tick((await phone.lines())[0]!);
  const [ticked] = (await phone.lines()).filter(({ tick }) => tick !== null);
  await phone.untick(ticked!);
  assert.deepEqual(await phone.waiting(), []);
});

test("the undo of a tick whose response was lost sends it again, and takes it back", async () => {
  const phone = new Phone("lost");
  await phone.read();
  await phone.tick((await phone.lines())[0]!);
  phone.service.fault = null;
  const [sent] = await phone.lines();
  await beginPayment((await readOutbox()).find(({ table }) => table.id === "lost")!);
  await phone.untick(sent!);
  await phone.untick(sent!);
  assert.deepEqual(await phone.waiting(), ["record_payment", "reverse_payment"]);
  assert.equal(await phone.send(), "done");
  assert.deepEqual(phone.service.payments.map(({ isTakenBack }) => isTakenBack), [true]);
});

test("a refused payment that was to be taken back is dropped", async () => {
  const phone = new Phone("dropped");
  await phone.read();
  await phone.tick((await phone.lines())[0]!);
  const request = (await readOutbox()).find(({ table }) => table.id === "dropped")!;
  await beginPayment(request);
  await phone.untick((await phone.lines())[0]!);
  await refusePayment({ ...request, refusal: { code: "request-invalid", details: [] } });
  assert.deepEqual(await phone.waiting(), []);
});

test("a payment that is recorded where the link does not see it is not proposed until that is taken back", async () => {
  const phone = new Phone("elsewhere");
  await phone.read();
  await phone.tick((await phone.lines())[0]!);
  const request = (await readOutbox()).find(({ table }) => table.id === "elsewhere")!;
  await dropRecorded({ ...request, refusal: { code: "equal-payment", details: [], isQuestion: true, isElsewhere: true } });
  await phone.read();
  const [line] = await phone.lines();
  assert.equal(line?.tick?.state, "elsewhere");
  assert.deepEqual(await phone.balances(), { ann: 0, ben: 300, cyd: -300 });
  await phone.untick(line!);
  assert.deepEqual(await phone.waiting(), []);
  assert.deepEqual(await phone.balances(), phone.service.owed);
});

for (let seed = 1; seed <= 30; seed += 1) {
  test(`a phone with a bad network knows at any time what is owed, and the service learns it (${seed})`, async () => {
    const phone = new Phone(`random ${seed}`);
    const { service } = phone;
    let state = seed;
    const random = (below: number): number => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    /** What the scorekeeper has ticked, and not taken back. */
    const ticked = new Map<string, Payment>();
    const act = async (): Promise<void> => {
      const lines = await phone.lines();
      const line = lines[random(Math.max(1, lines.length))];
      if (line === undefined) return;
      if (line.tick !== null) {
        await phone.untick(line);
        ticked.delete(line.tick.reference);
      } else if ((await phone.tick(line)) !== null) {
        const payment = paymentOf((await readOutbox()).at(-1)!);
        ticked.set(payment.reference, payment);
      }
    };
    const check = async (step: string): Promise<void> => {
      const expected = { ...service.owed };
      for (const payment of ticked.values()) pay(expected, payment);
      assert.deepEqual(await phone.balances(), expected, step);
    };
    await phone.read();
    const steps = [
      act,
      act,
      async () => void (await phone.send()),
      async () => {
        service.fault = "request";
        await phone.send();
      },
      async () => {
        service.fault = "response";
        await phone.send();
      },
      async () => void (await phone.read()),
      async () => {
        service.meanwhile = async () => {
          service.meanwhile = null;
          await act();
          await phone.send();
        };
        await phone.read();
      },
    ];
    for (let step = 0; step < 40; step += 1) {
      await steps[random(steps.length)]!();
      await check(`step ${step}`);
    }
    service.fault = null;
    service.meanwhile = null;
    assert.equal(await phone.send(), "done");
    assert.deepEqual(await phone.waiting(), []);
    await check("after everything was sent");
    assert.deepEqual(service.balances, await phone.balances());
    assert.equal(await phone.read(), true);
    await check("after it was read again");
  });
}
