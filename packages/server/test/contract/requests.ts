import {
  type About,
  aboutsOf,
  contract,
  hasKindInField,
  type Kind,
  kindsOf,
  listOperations,
  mediaList,
  type Operation,
} from "@promptreg/core";
import { headersOf, operationScenes } from "../group-scenes.ts";
import type { Answer, Person } from "../harness.ts";
import { addressOf, exchange, leastRequest, type Parts } from "../requests.ts";
import type { Staged } from "../scenes.ts";
import type { TestStage } from "../stage.ts";

/** An operation where it is asked. */
export interface Staging {
  id: string;
  operation: Operation;
  stage: TestStage;
}

/** An operation with what its tests stand on. */
export interface Subject extends Staging {
  /** The same server, where all that is staged is the viewer's. */
  elsewhere: TestStage;
  people: People;
}

/** Callers whom tests share, since what is refused changes nothing. */
export interface People {
  expired: Person;
  revoked: Person;
  suspended: Person;
  /** The owner, with a token that may write and not read. */
  blindOwner: Person;
  /** Somebody else with such a token. */
  blind: Person;
  moderator: Person;
  admin: Person;
}

export const methodOf = ({ route }: Operation) => route.split(" ")[0] ?? "";
export const pathOf = ({ route }: Operation) => route.split(" ")[1] ?? "";
export const isWrite = (operation: Operation) => methodOf(operation) !== "GET";
export const isList = ({ query }: Operation) =>
  Object.hasOwn((query as { shape?: object })?.shape ?? {}, "cursor");
/** Whether it is about anything. */
export const hasTarget = ({ access }: Operation) => aboutsOf(access).length > 0;

/** The kinds of what it is about: once for each kind that one of them can have. */
export function castings({ access }: Operation): Kind[][] {
  const kinds = aboutsOf(access).map(kindsOf);
  const first = kinds.map(([kind]) => kind as Kind);
  const others = kinds.flatMap(([, ...rest], place) => rest.map((kind) => first.with(place, kind)));
  return [first, ...others];
}

const ids = listOperations(contract).map(({ id }) => id);

/**
 * One of several that are alike to all operations, since the kernel treats them: each operation takes another one, so that all are tried,
 * and the suite grows with the operations alone.
 */
export const inTurn = <T>({ id }: Pick<Staging, "id">, all: readonly T[], nth = 0): T =>
  all[(ids.indexOf(id) + nth) % all.length] as T;

/** Makes all that an operation is about. */
export async function make(
  { id, stage }: Pick<Staging, "id" | "stage">,
  kinds: readonly Kind[],
  visibility?: "private",
): Promise<Staged[]> {
  const made = await Promise.all(kinds.map((kind) => stage.make(kind, visibility)));
  await operationScenes[id]?.prepare?.(stage, ...made.map(({ thing }) => thing));
  return made;
}

/** The same things each time: for reads, and for what is refused. */
export const shared = (stage: TestStage, kinds: readonly Kind[]): Promise<Staged[]> =>
  Promise.all(kinds.map((kind) => stage.shared(kind)));

/** Things for a request that may do something: its own for a write. */
export const fresh = (staging: Staging, kinds = castings(staging.operation)[0] ?? []) =>
  isWrite(staging.operation) ? make(staging, kinds) : shared(staging.stage, kinds);

/** The least request of an operation, about the given things. */
export function request({ id, operation, stage }: Staging, things: readonly (Staged | undefined)[]): Parts {
  const least = leastRequest(operation);
  const scene = operationScenes[id];
  const parts: Parts = {
    params: { ...least.params },
    query: { ...least.query, ...scene?.query?.(stage) },
    body: least.body ? { ...least.body, ...scene?.body } : scene?.text,
  };
  for (const [place, about] of aboutsOf(operation.access).entries()) {
    const staged = things[place];
    if (staged) nameIn(parts, about, staged);
  }
  for (const [name, of] of Object.entries(scene?.params ?? {})) {
    if (parts.params[of] !== undefined) parts.params[name] = parts.params[of];
  }
  return parts;
}

/** Writes the address of a thing where the operation reads it. */
function nameIn(parts: Parts, about: About, { kind, thing }: Staged): void {
  if (about.from === undefined) return void Object.assign(parts.params, thing.params);
  const [part = "", ...fields] = about.from.replace("?", "").split(".");
  const name = !hasKindInField(about)
    ? thing.address
    : part === "body"
      ? { type: kind, id: thing.address }
      : `${kind}:${thing.address}`;
  const last = fields.pop();
  if (last === undefined) return void Object.assign(parts.body as object, name);
  let place = parts[part as "body" | "query"] as Record<string, unknown>;
  for (const field of fields) place = (place[field] ??= {}) as Record<string, unknown>;
  place[last] = name;
}

/**
 * How a test is tagged that is alike to all operations: one of four operations has it in `npm test` alone, and another one the next
 * such test, so that each operation has some of them.
 */
export const alike = ({ id }: Pick<Staging, "id">, nth: number): { tags?: "long" } =>
  (ids.indexOf(id) + nth) % 4 === 0 ? {} : { tags: "long" };

interface Sending {
  headers?: Record<string, string>;
  /** In place of the body of the request. */
  body?: unknown;
  method?: string;
  query?: Record<string, unknown>;
}

/** A body as it is put into its request: a form takes texts, and perhaps a file. */
export function encoded({ operation, id }: Pick<Staging, "operation" | "id">, body: unknown): unknown {
  const kind = mediaList(operation.body)[0]?.kind;
  if ((kind !== "form" && kind !== "multipart") || typeof body !== "object" || body === null) return body;
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const fields = Object.entries(body).map(([name, value]): [string, string] => [name, text(value)]);
  if (kind === "form") return new URLSearchParams(fields);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const file = operationScenes[id]?.file;
  if (file) form.append("file", new Blob([file.content]), file.name);
  return form;
}

/** Sends a request in somebody's name, or in nobody's. */
export function send(
  { id, operation, stage }: Staging,
  who: Person | null,
  parts: Parts,
  { headers = {}, method = methodOf(operation), query = {}, ...sent }: Sending = {},
): Promise<Answer> {
  const body = "body" in sent ? sent.body : encoded({ operation, id }, parts.body);
  const [medium] = mediaList(operation.body);
  const textType: Record<string, string> =
    (medium?.kind === "text" || medium?.kind === "bytes") && body !== undefined
      ? { "content-type": medium.type }
      : {};
  const address = addressOf(operation, { params: parts.params, query: { ...parts.query, ...query } });
  return exchange(stage.server.url, `${method} ${address}`, {
    token: who?.token,
    headers: { ...textType, ...headersOf(id), ...headers },
    body,
  });
}
