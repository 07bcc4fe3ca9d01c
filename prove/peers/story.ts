import { setTimeout as delay } from "node:timers/promises";
import { isShort } from "../../scripts/short.ts";
import { printTable } from "./table.ts";
import { type App, langfuseWorld, promptregWorld, type World } from "./worlds.ts";

/** A moment of an application's life, what happens before it asks, and for how long it has not asked. */
interface Moment {
  name: string;
  happens?: (world: World) => unknown;
  /** Nothing passes but the clock: as in a process that was frozen, no timer has run. */
  afterSeconds?: number;
  /** Asks as a process that has just begun, and has nothing in memory. */
  isNew?: boolean;
}

const away = ({ front }: World) => front.stop();
const back = async ({ front }: World) => {
  front.inPlace = undefined;
  await front.start();
};
const inPlace = (answer: () => Response | Promise<Response>) => async (world: World) => {
  await back(world);
  world.front.inPlace = answer;
};
const proxy = (status: number, headers = {}) =>
  inPlace(
    () =>
      new Response(`<!doctype html><title>${status}</title><h1>${status}</h1>`, {
        status,
        headers: { "content-type": "text/html", ...headers },
      }),
  );
const json = (data: unknown, status = 200) => inPlace(() => Response.json(data, { status }));

/** As `packages/server/src/testing/application.test.ts` tells it, as far as both know such moments. */
const moments: Moment[] = [
  { name: "at its start", happens: (world) => world.move(1) },
  { name: "a minute later", afterSeconds: 61 },
  { name: "its label moved, ten minutes ago", happens: (world) => world.move(2), afterSeconds: 600 },
  { name: "frozen for a day, its label moved", happens: (world) => world.move(1), afterSeconds: 86_400 },
  { name: "the registry is away, for a day", happens: away, afterSeconds: 86_400 },
  { name: "  a new process", isNew: true },
  { name: "a proxy says 404 in its place", happens: proxy(404), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  { name: "it is being restarted: 503", happens: proxy(503), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  { name: "a health page answers in its place", happens: json({ status: "ok" }), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  {
    name: "a gateway says 404 in words of its own",
    happens: json({ error: { code: "ResourceNotFound", message: "No such route." } }, 404),
    afterSeconds: 600,
  },
  { name: "  a new process", isNew: true },
  { name: "it hangs", happens: inPlace(() => new Promise(() => {})), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  { name: "it is back", happens: back, afterSeconds: 600 },
  { name: "its label was removed", happens: (world) => world.move(null), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  { name: "its label was set again, to two", happens: (world) => world.move(2), afterSeconds: 10 },
  { name: "its prompt was deleted", happens: (world) => world.deletePrompt(), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  { name: "its token was revoked", happens: (world) => world.revokeToken(), afterSeconds: 600 },
  { name: "  a new process", isNew: true },
  { name: "the registry is away again", happens: away, afterSeconds: 600 },
];

/**
 * What an application sees that asks all along for what a label points to: ours beside Langfuse's. It asks twice at each
 * moment, the second time when everything has ended that the first has begun.
 */
export async function tellStory(): Promise<void> {
  const stories = [];
  for (const open of [promptregWorld, langfuseWorld]) stories.push(await live(await open()));
  const [ours = [], theirs = []] = stories;
  printTable(
    "What an application sees, with a fallback, and how many requests came of it (Date.now is turned)",
    [
      ["", "@promptreg/client", "asked", "@langfuse/client", "asked"],
      ...ours.map(({ name, saw, asked }, index) => [
        name,
        saw,
        String(asked),
        theirs[index]?.saw ?? "",
        String(theirs[index]?.asked),
      ]),
    ],
  );
}

interface Look {
  name: string;
  saw: string;
  asked: number;
}

/** Lives through all moments; time passes by `Date.now` alone, which is what both go by. */
async function live(world: World): Promise<Look[]> {
  const { now } = Date;
  let passedMs = 0;
  Date.now = () => now() + passedMs;
  const looks: Look[] = [];
  try {
    let running: App | undefined;
    for (const { name, happens, afterSeconds = 0, isNew = false } of isShort
      ? moments.slice(0, 4)
      : moments) {
      await happens?.(world);
      passedMs += afterSeconds * 1000;
      const app = isNew ? world.start() : (running ??= world.start());
      looks.push(await look(name, app, world), await look("  once more", app, world));
    }
  } finally {
    Date.now = now;
    await world.close();
  }
  return looks;
}

/** Nobody is waited for longer; what hangs would hang on. */
const longestMs = 12_000;

async function look(name: string, app: App, { front }: World): Promise<Look> {
  front.asked = 0;
  const startedMs = performance.now();
  const asking = app.ask().catch(
    // The name of the class, which not all of them set as their name.
    (error: Error & { statusCode?: number; code?: string }) =>
      ["throws", error.constructor.name, error.code ?? error.statusCode].filter(Boolean).join(" "),
  );
  const saw = await Promise.race([asking, delay(longestMs, "nothing yet", { ref: false })]);
  const tookMs = performance.now() - startedMs;
  await Promise.race([app.settle(), delay(longestMs, undefined, { ref: false })]);
  return {
    name,
    saw: saw + (tookMs > 500 ? ` after ${(tookMs / 1000).toFixed(1)} s` : ""),
    asked: front.asked,
  };
}
