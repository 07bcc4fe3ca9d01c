import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { debianPython, requireModule } from "../debian.ts";

/** Of the only account that the store knows. */
export const credentials = { AWS_ACCESS_KEY_ID: "test:registry", AWS_SECRET_ACCESS_KEY: "a-secret" };

/** An object as the store itself tells of it. */
export interface StoredObject {
  name: string;
  bytes: number;
  /** Of its bytes. */
  hash: string;
}

/** A Swift that speaks S3. What it is asked here goes past S3, its signatures and our code. */
export class Swift {
  readonly url: string;
  readonly #folder: string;
  readonly #ports: number[];
  #running: { child: ChildProcess; ended: Promise<unknown> } | undefined;

  /** @throws {Error} that names the package that is missing. */
  constructor(folder: string, ports: [s3: number, open: number]) {
    requireModule("swift", "python3-swift");
    this.#folder = folder;
    this.#ports = ports;
    this.url = `http://127.0.0.1:${ports[0]}`;
  }

  /** Starts it with what it had, at the same address. */
  async start(): Promise<void> {
    const program = join(import.meta.dirname, "store.py");
    const child = spawn(debianPython, [program, this.#folder, ...this.#ports.map(String)], {
      // It ends when its input does: with this process, however that ends.
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    this.#running = { child, ended };
    const early = ended.then(([code]) => {
      throw new Error(`Swift ended with ${code} before it was ready.`);
    });
    await Promise.race([once(child.stdout, "data"), early]);
    early.catch(() => {});
  }

  async kill(): Promise<void> {
    this.#running?.child.kill("SIGKILL");
    await this.#running?.ended;
  }

  async make(bucket: string): Promise<void> {
    await this.#ask("PUT", bucket);
  }

  /** All that a bucket lists, by name. */
  async objects(bucket = "media"): Promise<StoredObject[]> {
    const listed = (await (await this.#ask("GET", `${bucket}?format=json`)).json()) as StoredObject[];
    return listed.map(({ name, bytes, hash }) => ({ name, bytes, hash }));
  }

  async read(name: string): Promise<Uint8Array> {
    return (await this.#ask("GET", `media/${name}`)).bytes();
  }

  /** How many objects are on its disk, whatever its buckets list. */
  get fileCount(): number {
    const files = readdirSync(join(this.#folder, "disk"), { recursive: true, encoding: "utf8" });
    return files.filter((name) => name.endsWith(".data")).length;
  }

  async #ask(method: string, path: string): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${this.#ports[1]}/v1/AUTH_test/${path}`, { method });
    if (!response.ok) throw new Error(`Swift answered ${method} ${path} with ${response.status}.`);
    return response;
  }
}
