import { setTimeout as delay } from "node:timers/promises";
import { hashToken, makeToken } from "../../src/kernel/accounts/token.ts";
import { exchange } from "../requests.ts";
import { Draw } from "../seed/draw.ts";
import type { ProofDatabase } from "./database.ts";
import { Gate } from "./gate.ts";
import type { Behaviour, Receiver, Receivers } from "./receivers.ts";

/** A webhook and the receiver behind it. */
export interface Subscriber extends Receiver {
  name: string;
  /** The prompts it is bound to; null for all. */
  slugs: readonly string[] | null;
  /** It fails for good at some time, and is to be disabled once. */
  isDoomed: boolean;
}

/** Everybody in the proof: an owner who changes prompts, a watcher, and those who want to hear of it. */
export interface World {
  token: string;
  /** Of the prompts that change all the time, one for each writer. */
  slugs: readonly string[];
  subscribers: Subscriber[];
  gate: Gate;
}

export const owner = "ada";
const slugs = ["p0", "p1", "p2", "p3"];
/** Of the attempts to which a receiver may be unkind; later ones it accepts, so that the proof comes to an end. */
const patience = 3;

interface Making {
  url: string;
  database: ProofDatabase;
  receivers: Receivers;
  seed: number;
  /** How many requests are left hanging until their deadline. */
  hangs: number;
  /** How many webhooks are doomed. */
  doomed: number;
  /** How far the proof has come, from 0 to 1. */
  progress: () => number;
}

/** Makes the accounts, the prompts and the webhooks. */
export async function makeWorld(making: Making): Promise<World> {
  const { url, database, receivers, seed, progress } = making;
  const token = await join(database, owner);
  const watcher = await join(database, "bob");
  const gate = new Gate();
  for (const slug of [...slugs, gate.slug]) await makePrompt(url, { token, watcher, slug });

  const subscribers: Subscriber[] = [];
  async function subscribe(
    name: string,
    behave: Behaviour,
    { slugs = null as readonly string[] | null, by = token, keepsAlive = true, isDoomed = false } = {},
  ): Promise<Subscriber> {
    const receiver = await receivers.open(behave, { keepsAlive });
    const prompts = slugs?.map((slug) => `${owner}/${slug}`) ?? null;
    const { status, json, text } = await exchange(url, "POST /webhooks", {
      token: by,
      body: { url: receiver.url, events: ["prompt.label.moved"], prompts },
    });
    if (status !== 201) throw new Error(`no webhook for ${name}: ${text}`);
    const subscriber = Object.assign(receiver, { name, slugs, isDoomed, webhookId: json.id });
    subscriber.secret = json.secret;
    subscribers.push(subscriber);
    return subscriber;
  }

  const draw = new Draw(seed, 1);
  let hangsLeft = making.hangs;
  await subscribe("steady", () => 200);
  await subscribe("watching", () => 200, { by: watcher });
  await subscribe("slow", () => delay(300, 200), { slugs: slugs.slice(0, 1) });
  await subscribe("fails first", (_, nth) => (nth < patience && draw.happens(0.3) ? 500 : 200));
  await subscribe("resets", (_, nth) => (nth < patience && draw.happens(0.15) ? "reset" : 200), {
    slugs: slugs.slice(0, 2),
    keepsAlive: false,
  });
  await subscribe(
    "hangs",
    (_, nth) => {
      if (nth >= patience || hangsLeft === 0 || !draw.happens(0.1)) return 200;
      hangsLeft -= 1;
      return "hang";
    },
    { slugs: slugs.slice(1, 2) },
  );
  for (let i = 0; i < making.doomed; i++) {
    // The first fails from the beginning, the others come to it.
    await subscribe(`dies at ${i}/${making.doomed}`, () => (progress() >= i / making.doomed ? 500 : 200), {
      slugs: slugs.slice(2),
      isDoomed: true,
    });
  }
  gate.webhookId = (await subscribe("gate", () => gate.pass(), { slugs: [gate.slug] })).webhookId;
  return { token, slugs, subscribers, gate };
}

async function join(database: ProofDatabase, handle: string): Promise<string> {
  const token = makeToken();
  await database.ask(
    (sql) => sql`
      with account as (
        insert into users (handle, email) values (${handle}, ${`${handle}@example.com`}) returning id
      )
      insert into tokens (user_id, name, hash, prefix, scopes)
      select id, 'proof', ${hashToken(token)}, 'prt_', '{read,write}' from account`,
  );
  return token;
}

/** A public prompt with two versions, so that a label can be moved to and fro for ever. */
async function makePrompt(
  url: string,
  { token, watcher, slug }: { token: string; watcher: string; slug: string },
): Promise<void> {
  const files = (content: string) => [{ path: "PROMPT.md", content }];
  const first = { kind: "text", slug, title: slug, visibility: "public", files: files("1") };
  const answers = [
    await exchange(url, "POST /prompts", { token, body: first }),
    await exchange(url, `POST /prompts/${owner}/${slug}/versions`, { token, body: { files: files("2") } }),
    await exchange(url, `PUT /prompts/${owner}/${slug}/watch`, {
      token: watcher,
      body: { level: "releases" },
    }),
  ];
  for (const { status, text } of answers) if (status >= 300) throw new Error(`no prompt ${slug}: ${text}`);
}
