// The messages between a page and its worker, and the results that the worker returns.

/** How many bytes of the rules are loaded. */
export interface Progress {
  loaded: number;
  total: number;
}

/** Which rules run in the worker. */
export interface Description {
  /** The version of the scorer, which every stored hand names too. */
  scorer: number;
  python: string;
  /** The rulesets that the scorer knows by name. A custom ruleset is given with the round. */
  presets: string[];
  /** The SHA-256 of the rules. */
  digest: string;
}

export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

/** Why the service would refuse a hand, as in its problem document. */
export interface Problem {
  code: string;
  detail: string;
  errors: FieldError[];
}

export interface ScoredRow {
  category: string;
  description: string;
  royalty: number;
}

/** A board while it is being set. */
export interface Board {
  /** As it was given; it can be missing. */
  seat: number | null;
  complete: boolean;
  /** Whether the board is foul, however it is completed. */
  foul: boolean;
  foul_reason: string | null;
  royalties: number;
  /** The Fantasyland cards that the full rows earn, if the board does not become foul. */
  fantasyland: number;
  /** The rows that are full. */
  rows: { top?: ScoredRow; middle?: ScoredRow; bottom?: ScoredRow };
}

/** The response of the service to the hand, without IDs and times. */
export interface HandResult {
  number: number;
  button: number;
  ruleset: string;
  irregular: FieldError[];
  players: {
    seat: number;
    player: string | null;
    foul: boolean;
    foul_reason: string | null;
    royalties: number;
    points: number;
    fantasyland: number;
    rows: { top: ScoredRow; middle: ScoredRow; bottom: ScoredRow };
  }[];
  exchanges: {
    seats: number[];
    rows: { top: number; middle: number; bottom: number };
    row_points: number;
    bonus: number;
    foul: number;
    royalties: number;
    points: number;
  }[];
  transfers: {
    order: number;
    payer: number;
    payee: number;
    due: number;
    paid: number;
    limited_by: "payer_stack" | "winner_room" | null;
    payer_stack: number;
    payee_stack: number;
  }[];
  stacks: Record<string, number>;
  round: {
    stakes_scope: "hand" | "fantasyland" | "round";
    status: "open" | "complete" | "closed";
    hands: number;
    seats: {
      seat: number;
      player: string;
      opening_stack: number;
      top_ups: number;
      stack: number;
      playing: boolean;
    }[];
    next: { number: number; button: number | null; seats: number[]; fantasyland: Record<string, number> } | null;
  };
}

/** The rules are not available: a file could not be loaded or has another digest, or the worker has failed. */
export interface Unavailable {
  kind: "unavailable";
  reason: "not_loaded" | "wrong_digest" | "failed";
  detail: string;
}

export type ScoreResult =
  | { kind: "complete"; boards: Board[]; result: HandResult }
  /** Cards or players are missing. `errors` are the mistakes that entering them does not correct. */
  | { kind: "partial"; boards: Board[]; problem: Problem; errors: FieldError[] }
  | { kind: "refused"; boards: Board[]; problem: Problem }
  | { kind: "round_refused"; problem: Problem }
  | Unavailable;

/** The round as the service will show it, and what the house charges for it by seat; or why the service would refuse it. */
export type ReplayResult =
  | { kind: "replayed"; round: HandResult["round"]; charged: Record<string, number> }
  | { kind: "round_refused"; problem: Problem }
  | Unavailable;

/** A payment as balances count it; null is the house. */
export interface SettlingPayment {
  payer: string | null;
  payee: string | null;
  amount: number;
}

/** What a device has of who owes whom: balances of the service, and what they do not have yet. */
export interface HeldBalances {
  units: { unit: string; players: { player: string | null; balance: number }[] }[];
  /** Each round as the balances count it, or null, and with what waits on the device. */
  rounds: { before: object | null; after: object }[];
  payments: (SettlingPayment & { unit: string; is_taken_back: boolean })[];
}

/** What everyone is owed in a unit, the highest first, and the payments that settle it. */
export interface SettledUnit {
  unit: string;
  players: { player: string | null; balance: number }[];
  settle_up: SettlingPayment[];
  is_fewest: boolean;
}

export type SettleResult = { kind: "settled"; units: SettledUnit[] } | Unavailable;

/** A board as it is typed, pasted or said. */
export interface TypedText {
  text: string;
  /** The place of each card that another player has. */
  taken: Record<string, string>;
  /** How many cards the player discards. */
  discards: number;
}

/** A card of a text. Without a suit, `suits` are those that it can have. */
export interface TypedCard {
  rank: string;
  suit: string | null;
  suits: string[];
}

/** A text in English, with the message and the values that it is made of. */
export interface Phrase {
  text: string;
  message: string;
  /** The message for another number than one, of a message with a number. */
  plural: string | null;
  number: number;
  context: string | null;
  values: Record<string, string | number | Phrase>;
}

/** The cards that a text names, what in it is invalid or has two meanings, and what is missing. */
export type TypedResult =
  | {
      kind: "typed";
      parts: { top?: TypedCard[]; middle?: TypedCard[]; bottom?: TypedCard[]; discards?: TypedCard[] };
      wrong: Phrase[];
      missing: Phrase[];
    }
  | Unavailable;

export type Message =
  | { kind: "start"; address: string }
  | { kind: "score"; id: number; round: string; hand: string }
  | { kind: "replay"; id: number; round: string }
  | { kind: "settle"; id: number; held: string }
  | { kind: "read"; id: number; typed: string };

export type WorkerMessage =
  | ({ kind: "progress" } & Progress)
  | { kind: "ready"; description: Description }
  | Unavailable
  | { kind: "scored"; id: number; result: string }
  | { kind: "failed"; id: number; detail: string };
