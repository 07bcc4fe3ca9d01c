import { createHash } from "node:crypto";
import { join } from "node:path";
import { type ProofDatabase, startDatabase } from "../../packages/server/test/crash/database.ts";
import { until } from "../../packages/server/test/crash/until.ts";
import { newDataDir, run, type ServerProcess, start } from "../../packages/server/test/process.ts";
import { type Answer, type Call, exchange } from "../../packages/server/test/requests.ts";
import { freePort } from "../debian.ts";
import { credentials, Swift } from "./swift.ts";
import { openWire, type Wire } from "./wire.ts";

/** What keys begin with: all kinds of characters that it may have. */
export const prefix = "registry/A-z_0.9//a";

/** Media as the API gives them. */
export interface Shown {
  id: string;
  url: string;
  thumbnailUrl: string | null;
  sha256: string;
  status: string;
}

/** A registry of one account, which keeps media in the store. */
export class Scene {
  /** For what the proof writes. */
  readonly folder: string;
  readonly swift: Swift;
  /** What lies between the server and the store. */
  readonly wire: Wire;
  readonly database: ProofDatabase;
  readonly env: Record<string, string>;
  /** All that the API has said. */
  said = "";
  #server: ServerProcess | undefined;
  #token = "";

  private constructor(parts: Pick<Scene, "folder" | "swift" | "wire" | "database">) {
    this.folder = parts.folder;
    this.swift = parts.swift;
    this.wire = parts.wire;
    this.database = parts.database;
    this.env = {
      ...credentials,
      DATABASE_URL: this.database.url,
      PROMPTREG_SECRET: "a secret of this proof, and of nothing else",
      PROMPTREG_DATA_DIR: newDataDir(),
      MEDIA_STORE: placeOf(this.wire.url),
      RATE_LIMITS: "off",
    };
  }

  /** `closers` get what ends it, as far as it came. */
  static async set(folder: string, closers: (() => unknown)[]): Promise<Scene> {
    const swift = new Swift(join(folder, "swift"), [await freePort(), await freePort()]);
    closers.unshift(() => swift.kill());
    await swift.start();
    await swift.make("media");
    const wire = await openWire(swift.url);
    closers.unshift(wire.close);
    const database = await startDatabase();
    closers.unshift(() => database.stop());
    const scene = new Scene({ folder, swift, wire, database });
    await run(["user", "add", "ada"], scene.env);
    scene.#token = (await run(["token", "create", "--user", "ada"], scene.env)).stdout.trim();
    closers.unshift(() => scene.#server?.stop());
    await scene.start();
    return scene;
  }

  /** Starts the server on what it had. */
  async start(env: Record<string, string> = {}): Promise<void> {
    this.#server = await start(["serve"], { ...this.env, ...env });
  }

  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error("no server was started");
    return this.#server;
  }

  /** Kills one of the two, breaks off what is between them, and starts it anew. */
  async kill(who: "our server" | "the store"): Promise<void> {
    await (who === "our server" ? this.server.stop("SIGKILL") : this.swift.kill());
    this.wire.reset();
    await (who === "our server" ? this.start() : this.swift.start());
  }

  async request(route: string, call: Call = {}): Promise<Answer> {
    const answer = await exchange(this.server.url, route, { token: this.#token, ...call });
    this.said += `${answer.text}\n${JSON.stringify([...answer.headers])}\n`;
    return answer;
  }

  /** @throws if it is refused. */
  async done(route: string, body?: unknown): Promise<Answer["json"]> {
    const { status, text, json } = await this.request(route, { body });
    if (status >= 300) throw new Error(`${route} answered ${status}: ${text}`);
    return json;
  }

  /** Media as they are now: their addresses end in time. */
  async shown(id: string): Promise<Shown> {
    return this.done(`GET /media/${id}`);
  }

  /** Media once a worker has read them. */
  async ready(id: string): Promise<Shown> {
    await until(`${id} to be ready`, async () => (await this.shown(id)).status === "ready");
    return this.shown(id);
  }

  async upload(form: FormData): Promise<Shown> {
    const { id } = await this.done("POST /media", form);
    return this.ready(id);
  }

  async digestOfMedia(id: string): Promise<string> {
    return digestOf(await bytesOf((await this.shown(id)).url));
  }

  /** Lets the server do all that is due: work on media, and sweep what nothing uses. */
  async settle(): Promise<void> {
    const count = async (what: string) =>
      (await this.database.ask((sql) => sql.unsafe(`select from ${what}`))).count;
    for (const what of [
      "media where status = 'processing' and deleted_at is null",
      // That work has left something, too.
      "stored_files where used_by is null",
    ]) {
      await this.pass();
      // As long as there is less and less, it is not in vain.
      for (let left = await count(what); left > 0; left = await count(what))
        await until(`less ${what}`, async () => (await count(what)) < left);
    }
  }

  /** Lets so much time pass that nothing is on its way any more, and a sweep begin. */
  pass = (): Promise<void> => this.database.pass(16 * 60);
}

export const placeOf = (url: string, { path = `media/${prefix}`, region = "eu-central-1" } = {}): string =>
  `s3://${path}?endpoint=${url}&region=${region}`;

/** Says a statement, and whether it holds. If not, it ends the proof: what comes after builds on it. */
export async function check<T>(statement: string, holds: () => Promise<T>): Promise<T> {
  try {
    const found = await holds();
    console.log(`  ✓ ${statement}`);
    return found;
  } catch (error) {
    console.log(`  ✗ ${statement}`);
    throw error;
  }
}

/** The body of an upload. */
export function formOf(
  content: Uint8Array<ArrayBuffer> | Blob,
  { name = "a.bin", ...fields }: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append("file", content instanceof Blob ? content : new Blob([content]), name);
  return form;
}

export async function bytesOf(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  const bytes = await response.bytes();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${Buffer.from(bytes).toString()}`);
  return bytes;
}

export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
