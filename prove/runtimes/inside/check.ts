// What a statement is, and how it is checked.

/** What a runtime may not have: variables of an environment, and requests whose body is a stream. */
export type Feature = "environment" | "upload";

/** Where it all takes place; travels as JSON. */
export interface World {
  baseUrl: string;
  token: string;
  /** A server that answers OPTIONS, and nothing else for ever. */
  silentUrl: string;
  /** Whose token it is. */
  owner: string;
  /** A prompt of this runtime's own, with two versions: "One for {{name}}." is production, and "Two for {{name}}." the newest. */
  slug: string;
  /** A delivery that says that its label production moved, as Node signed it just now. */
  delivery: { body: string; header: string; secret: string };
  lacks: Feature[];
}

export interface Statement {
  says: string;
  needs?: Feature;
  /** Throws unless it holds. */
  check: (world: World) => unknown;
}

/** How it went with a statement: a problem is what was thrown, null is none, undefined where it does not apply. */
export interface Result {
  says: string;
  problem: string | null | undefined;
}

/** Checks one statement after the other. */
export async function checkAll(all: Statement[], world: World): Promise<Result[]> {
  const results: Result[] = [];
  for (const { says, needs, check } of all) {
    if (needs && world.lacks.includes(needs)) {
      results.push({ says, problem: undefined });
      continue;
    }
    try {
      await check(world);
      results.push({ says, problem: null });
    } catch (error) {
      const { stack, cause } = error as Error;
      results.push({ says, problem: [stack ?? String(error), cause].filter(Boolean).join("\ncaused by ") });
    }
  }
  return results;
}

/** Throws unless both are the same as JSON. */
export function same(actual: unknown, expected: unknown): void {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== ought) throw new Error(`${is} instead of ${ought}`);
}

export type Thrown = Error & Partial<Record<"code" | "status" | "statusCode" | "requestId", unknown>>;

/** What a promise rejects with. */
export function rejection(work: Promise<unknown>): Promise<Thrown> {
  return work.then(
    (value) => {
      throw new Error(`${JSON.stringify(value)} instead of an error`);
    },
    (error: Thrown) => error,
  );
}
