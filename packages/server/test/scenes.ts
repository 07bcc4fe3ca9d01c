import type { At, Contract, IdsOf, Kind, QueryOf } from "@promptreg/core";
import type { Sql } from "../src/database/sql.ts";
import type { Person, TestServer } from "./harness.ts";

/** Something to act on. A change that moves it writes its new address here. */
export interface Thing {
  /** By what paths name it and what is below it. */
  params: Record<string, unknown>;
  /** By what a field of a query or a body names it. */
  address: string;
  /** Who has the roles that only its kind knows. The owner is the stage's. */
  as?: Record<string, Person>;
}

/** A thing with its kind, and with what it belongs to. */
export interface Staged {
  kind: Kind;
  thing: Thing;
  above?: Staged;
}

/** A server and people, as scenes see them. */
export interface Stage {
  readonly server: TestServer;
  /** Owns all that is staged. */
  readonly owner: Person;
  /** Sees it as others do. */
  readonly viewer: Person;
  /** The addresses of what tests share, for scenes that make room. */
  readonly sharedAddresses: ReadonlySet<string>;
  /** What takes back changes of the program itself, which other tests of the process would see. */
  readonly undo: (() => unknown)[];
  /** Makes one with what it belongs to. */
  make(kind: Kind, visibility?: "public" | "private"): Promise<Staged>;
}

/** How a kind of target is staged. */
export interface KindScene {
  /** The kind it belongs to, which decides who sees it. */
  below?: Kind;
  /** Nobody can hide or delete it. */
  isAlwaysVisible?: true;
  /** Makes one of the stage's owner; `above` is what it belongs to. */
  make(stage: Stage, about: { visibility: "public" | "private"; above: Thing }): Promise<Thing>;
  /** Deletes it. Absent where that of `below` does. */
  remove?(stage: Stage, thing: Thing): PromiseLike<unknown>;
}

/** A list as `bench` sees it in a seeded database, and its queries: none, each order alone, each filter alone. */
export interface List {
  path: string;
  queries: readonly string[];
  /**
   * Queries that may go through more than they show: some 10,000 rows, to rank them or to learn that they are many, or
   * the 5,000 that an account may follow.
   */
  broad?: readonly string[];
  /** Queries of which a moderator gets more than others. */
  moderated?: readonly string[];
}

export interface ListScene {
  /** Gives it two items at least. Absent where it has them. */
  fill?(stage: Stage, thing: Thing): PromiseLike<unknown>;
  list: List | ((sql: Sql) => Promise<List>);
}

/** What the suites need of an operation, beside its contract. */
export interface OperationScene {
  /** What its least request lacks to succeed. */
  query?(stage: Stage): object;
  body?: object;
  /** What its path calls otherwise than the parameters of its thing do: the name in the path, and that of the thing. */
  params?: Record<string, string>;
  /** Its body, if it takes text or bytes, of the first type that it takes. */
  text?: string;
  /** The file of its form, in the field `file`. */
  file?: { name: string; content: string };
  /** The headers that its least request needs; a function, if they depend on the time. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** What must have happened to what it is about, before its least request succeeds. */
  prepare?(stage: Stage, ...things: Thing[]): PromiseLike<unknown>;
  /** A write whose answer has nothing but what was sent, and what the act came to: an id, a number, a count, a time. */
  isEchoing?: true;
  /**
   * Whether the audit log has it. Without this it has deletions, and what staff does to things of others. False for a deletion
   * of what is a part of something, or nobody else's.
   */
  isAudited?: boolean;
  /** A read that has no ETag, one that never changes, or, about a single thing, one that its printed answer is needed for. */
  etag?: "none" | "pinned" | "printed";
}

type SceneOf<O> = OperationScene & ("cursor" extends keyof QueryOf<O> ? ListScene : unknown);

/** Something that happens on a stage where one of each kind is. */
export type Act = (stage: Stage, things: Record<Kind, Thing>) => PromiseLike<unknown>;

/** Things by their kind, of some kinds. */
export type Things = { [K in Kind]?: Thing };

/** A prompt of the stage's owner that is public, or a draft, for now. */
export interface Shown extends Thing {
  /** Nothing else has it. It belongs into every text that is written about the prompt. */
  word: string;
  isDraft: boolean;
}

/** What changes a number that others are shown of a thing. */
export interface CountScene {
  /** The list in which anybody can count the same, if there is one. */
  list?: (thing: Thing) => string;
  /** What could change it, and by how much, in this order. */
  changes?: Record<string, readonly [by: number, act: (stage: Stage, thing: Thing) => PromiseLike<unknown>]>;
  /** If prompts are counted, or what is theirs: makes it one more, and gives the prompt. It counts while it is public. */
  add?: (stage: Stage, thing: Thing) => Promise<{ owner: Person; address: string }>;
}

/** What a group brings to the tests of all groups. */
export interface GroupScenes<G extends keyof Contract> {
  operations: { [Id in IdsOf<Contract[G]>]: SceneOf<At<Contract[G], Id>> };
  /** Every kind that it brings. */
  kinds?: { [K in Kind]?: KindScene };
  /**
   * Brings a prompt, while others see it, into all that the group shows of prompts: the owner and the viewer do what leads there.
   * Gives what it made on the way, of each kind that a read is about. `src/visibility.test.ts` then hides the prompt.
   */
  shows?(stage: Stage, prompt: Shown): Promise<Things | void>;
  /** The numbers that its acts change, by the kind of thing that has them: `prompt.stars`. */
  counts?: { [Name in `${Kind}.${string}`]: CountScene };
  /** What connects things of different kinds, before anything changes. */
  connect?: Act;
  /** What answers may show and can change, in this order. Each must be seen by a read. */
  changes?: Record<string, Act>;
  /** What no ETag tells. */
  keeps?: Record<string, Act>;
}

/** `field=value` for each of the values. */
export const each = (field: string, values: string): string[] =>
  values.split(" ").map((value) => `${field}=${value}`);

let last = 0;
/** To name something by, as nothing else on its server is: `n17`. */
export const nextNumber = (): string => `n${(last += 1)}`;
/** For a server of its own whose things are to have the same names each time. */
export const countFromOne = (): void => void (last = 0);

/** Sends a request that must succeed, and gives its answer's JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- as of every answer in tests
export async function expectDone(who: Person, route: string, body?: object): Promise<any> {
  const { status, text, json } = await who.request(route, { body });
  if (status >= 300) throw new Error(`${route} answered ${status}: ${text}`);
  return json;
}

/** What the stage's owner does with a thing of a kind, by a route whose `{names}` are the parameters of the thing. */
export const ownerDoes =
  (kind: Kind, route: string, body?: object): Act =>
  ({ owner }, { [kind]: { params } }) =>
    expectDone(
      owner,
      route.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name])),
      body,
    );
