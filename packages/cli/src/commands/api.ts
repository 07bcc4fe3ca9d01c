import { type Client, routes } from "@promptreg/client";
import type { Context } from "../context.ts";
import { InputError, UsageError } from "../errors.ts";
import { didYouMean } from "../near.ts";
import { readInput } from "../read-input.ts";

type AnyMethod = (input: Record<string, unknown>) => Promise<unknown>;

export async function api(
  { connect, output, stdin, stdout }: Context,
  id: string | undefined,
  pairs: readonly string[],
  { body }: { body?: string },
): Promise<void> {
  if (id === undefined) {
    const width = Math.max(...Object.keys(routes).map(({ length }) => length));
    const lines = Object.entries(routes).map(([name, route]) => `${name.padEnd(width)}  ${route}`);
    output.result(routes, () => lines.join("\n"));
    return;
  }
  const input = readArguments(id, pairs);
  if (body !== undefined) input.body = await readBody(body, stdin);
  const method = methodOf(await connect(), id);
  const answer = await method(input).catch((error: unknown) => {
    // What would change the shape of the path.
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  });
  if (!(answer instanceof Response)) output.result(answer);
  else if (stdout.isTTY) stdout.write(output.foreign(await answer.text()));
  else for await (const chunk of answer.body ?? []) stdout.write(chunk);
}

/** Sorts `name=value` into the operation's path and query. */
function readArguments(id: string, pairs: readonly string[]): Record<string, unknown> {
  if (!Object.hasOwn(routes, id)) {
    const hint = didYouMean(id, Object.keys(routes));
    throw new UsageError(`There is no operation ${id}.${hint} \`promptreg api\` lists them all.`);
  }
  const route = routes[id as keyof typeof routes];
  const names = new Set([...route.matchAll(/\{(\w+)\*?\}/g)].map(([, name = ""]) => name));
  const params = new Map<string, string>();
  const query = new Map<string, string | string[]>();
  for (const pair of pairs) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`"${pair}" is not of the form name=value.`);
    const earlier = query.get(name);
    if (names.has(name)) params.set(name, value);
    else query.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  const missing = [...names].filter((name) => !params.get(name));
  if (missing.length > 0) {
    const example = missing.map((name) => `${name}=…`).join(" ");
    throw new UsageError(`${id} is ${route}, so it needs ${example} too.`);
  }
  return { ...Object.fromEntries(params), query: Object.fromEntries(query) };
}

async function readBody(text: string, stdin: AsyncIterable<Uint8Array>): Promise<unknown> {
  const json = /^\s*[[{]/.test(text) ? text : await readInput(text, stdin);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new InputError(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

function methodOf(client: Client, id: string): AnyMethod {
  const node = id.split(".").reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], client);
  return node as AnyMethod;
}
