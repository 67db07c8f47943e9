// What the scoreboard shows, read again only when it has changed.

import type { Tablestakes } from "../../client/src/client.js";
import type { Club, RecordedHand, Round, RoundDocument, TableStatement } from "../../client/src/contract.js";
import { eveningOf } from "./evening.js";

type DocumentHand = RoundDocument["hands"][number];

/** The last hand of a round: its result, and its cards. */
export interface LastHand {
  score: RecordedHand;
  cards: DocumentHand["players"];
}

/** Rounds can be recorded later than others of their table, so the open one is not always the newest. */
const ROUNDS_READ = 5;

export interface Scoreboard {
  /** The time zone of the club; null until it is known. */
  timeZone: string | null;
  /** The open round of the table, or the newest; null if it has none. */
  round: Round | null;
  /** Null before the first hand of the round. */
  hand: LastHand | null;
  /** The day of the evening to which the round belongs. */
  evening: string | null;
  /** The results of this evening. */
  statement: TableStatement | null;
}

interface Tagged<T> {
  data: T;
  tag: string | null;
}

/** Reads the scoreboard of the table of a link. */
export class BoardFeed {
  private board: Scoreboard = { timeZone: null, round: null, hand: null, evening: null, statement: null };
  private rounds: string | null = null;
  private statement: string | null = null;
  private club: Club | undefined;

  constructor(private readonly client: Tablestakes, private readonly table: string) {}

  /** Return the scoreboard as it is now: the same object if nothing has changed. Throws if a request fails. */
  async read(): Promise<Scoreboard> {
    const before = this.board;
    this.club ??= await this.client.get("/v1/club");
    const listed = await this.readRound(before);
    const evening = listed.data && eveningOf(listed.data.opened_at, this.club);
    const hand = listed.data === before.round ? before.hand : await this.readHand(listed.data);
    const stated = await this.readStatement(before, evening);
    if (before.timeZone === null || listed.data !== before.round || stated.data !== before.statement) {
      this.board = { timeZone: this.club.time_zone, round: listed.data, hand, evening, statement: stated.data };
    }
    // Only now: after a failure, the next attempt reads everything again.
    this.rounds = listed.tag;
    this.statement = stated.tag;
    return this.board;
  }

  private async readRound(before: Scoreboard): Promise<Tagged<Round | null>> {
    const { data, status, headers } = await this.client.send("get", "/v1/rounds", {
      query: { table: this.table, limit: ROUNDS_READ },
      headers: ifChanged(this.rounds),
    });
    if (status === 304) return { data: before.round, tag: this.rounds };
    return { data: data.rounds.find((round) => round.status === "open") ?? data.rounds[0] ?? null, tag: headers.get("ETag") };
  }

  private async readStatement(before: Scoreboard, evening: string | null): Promise<Tagged<TableStatement | null>> {
    if (evening === null) return { data: null, tag: null };
    const { data, status, headers } = await this.client.send("get", "/v1/tables/{table_id}/statement", {
      path: { table_id: this.table },
      query: { evening },
      headers: ifChanged(evening === before.evening ? this.statement : null),
    });
    return status === 304 ? { data: before.statement, tag: this.statement } : { data, tag: headers.get("ETag") };
  }

  private async readHand(round: Round | null): Promise<LastHand | null> {
    if (round === null || round.hands === 0) return null;
    const path = { round_id: round.id };
    const document = await this.client.get("/v1/rounds/{round_id}/document", { path });
    let score: RecordedHand | undefined;
    for await (const each of this.client.list("/v1/rounds/{round_id}/hands", { path })) score = each;
    const cards = document.hands.at(-1)?.players;
    return score !== undefined && cards !== undefined ? { score, cards } : null;
  }
}

function ifChanged(tag: string | null): Record<string, string> {
  return tag === null ? {} : { "If-None-Match": tag };
}
