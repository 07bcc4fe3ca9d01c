import { openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { AwsClient } from "aws4fetch";
import { type ByteRange, type LocalFile, LostFileError, type Store, StoreError } from "./store.ts";

/** A bucket of an S3-compatible store, and who may use it. */
export interface S3Config {
  /** The address of the bucket, with what all keys begin with, and a slash at its end. */
  url: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/**
 * A store that does not begin to answer by the first is away. A file has to be stored by the second: much later its row may be
 * gone.
 */
const usualLimits = { answerMs: 30_000, putMs: 300_000 };

/** Says under which key something was stored, so that nothing else is taken for it. */
const keyHeader = "x-amz-meta-key";

/** Keeps bytes in a bucket. */
export class S3Store implements Store {
  readonly place: string;
  readonly spoolFolder: string;
  readonly #client: AwsClient;
  readonly #limits: typeof usualLimits;

  constructor({ url, region, credentials }: S3Config, spoolFolder: string, limits = usualLimits) {
    this.#limits = limits;
    this.place = url;
    this.spoolFolder = spoolFolder;
    // Whoever waits for an answer tries again; within a request, retries would only hide that the store is away.
    this.#client = new AwsClient({ ...credentials, region, service: "s3", retries: 0 });
  }

  async put(key: string, { path, sha256 }: LocalFile): Promise<void> {
    const response = await this.#send(key, {
      method: "PUT",
      body: await openAsBlob(path),
      // The store compares the digest.
      headers: { "x-amz-content-sha256": sha256, [keyHeader]: key },
      signal: AbortSignal.timeout(this.#limits.putMs),
    });
    await response.body?.cancel();
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#limits.answerMs);
    const headers = range && { range: `bytes=${range.start}-${range.end}` };
    try {
      const response = await this.#send(key, { ...(headers && { headers }), signal: late.signal });
      const storedAs = response.headers.get(keyHeader);
      const part = response.headers.get("content-range") ?? "";
      // Nobody signs which part is asked for: a proxy may have changed it.
      const isPart = range
        ? response.status === 206 && part.startsWith(`bytes ${range.start}-${range.end}/`)
        : response.status === 200;
      const isWanted = storedAs === key && isPart;
      if (!isWanted || response.body === null) {
        await response.body?.cancel();
        // Such as a copy that was made without its metadata, or what a proxy says of itself.
        throw new StoreError(
          `the store answered with something else than ${key}${storedAs === null ? `, without ${keyHeader}` : ""}`,
        );
      }
      return Readable.fromWeb(response.body as never);
    } finally {
      clearTimeout(timer);
    }
  }

  async delete(key: string): Promise<void> {
    const signal = AbortSignal.timeout(this.#limits.answerMs);
    const response = await this.#send(key, { method: "DELETE", signal }, [404]);
    await response.body?.cancel();
  }

  /** @throws what the API answers with 503, unless the store did as it was asked. */
  async #send(key: string, init: RequestInit, alsoFine: readonly number[] = []): Promise<Response> {
    let response: Response;
    try {
      // The signal goes to fetch itself: the request that was signed would hold it so weakly that it is lost, and never ends anything.
      const { signal, ...signed } = init;
      const request = await this.#client.sign(`${this.place}${key}`, { ...signed, redirect: "manual" });
      response = await fetch(request, { signal: signal ?? null });
    } catch (error) {
      // Not the error: its text can quote the address and headers that were signed.
      throw new StoreError(`the store cannot be reached (${reasonOf(error as Reason)})`);
    }
    if (response.ok || alsoFine.includes(response.status)) return response;
    const [, code = ""] = /<Code>(\w{1,50})<\/Code>/.exec(await beginningOf(response)) ?? [];
    if (code === "NoSuchKey") throw new LostFileError(`the store has nothing under ${key}`);
    throw new StoreError(`the store answered ${init.method ?? "GET"} with ${response.status} ${code}`);
  }
}

interface Reason {
  name: string;
  /** A number if something was aborted. */
  code?: string | number;
  cause?: { code?: string };
}
const reasonOf = ({ name, code, cause }: Reason): string =>
  cause?.code ?? (typeof code === "string" ? code : name);

/** A store says why in words, of which it may have many, or none. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read().catch(() => undefined)) ?? {};
  await reader?.cancel().catch(() => {});
  return Buffer.from(value ?? []).toString("utf8", 0, 10_000);
}
