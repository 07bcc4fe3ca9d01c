import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * What the client uses of the web's classes, over Node's own HTTP: the build of the command line puts them and `fetch.ts`
 * in the place of the global ones. Node's fetch takes longer to load than Node itself and all of a command.
 */

type Pairs = Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>;

export class LeanHeaders {
  readonly #values = new Map<string, string>();

  constructor(init: Pairs = {}) {
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value ?? "undefined");
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }
  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }
  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value.trim());
  }
  append(name: string, value: string): void {
    const earlier = this.get(name);
    this.set(name, earlier === null ? value : `${earlier}, ${value}`);
  }
  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }
  entries(): MapIterator<[string, string]> {
    return this.#values.entries();
  }
  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }
}

export interface RequestOptions {
  method?: string;
  headers?: Pairs;
  body?: unknown;
  signal?: AbortSignal | null;
  redirect?: "follow" | "manual";
}

export interface ResponseOptions {
  status?: number | undefined;
  statusText?: string | undefined;
  headers?: Pairs;
  url?: string;
}

/** A request whose body, if any, is text, bytes, or a form. */
export class LeanRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: LeanHeaders;
  readonly signal: AbortSignal | undefined;
  readonly redirect: "follow" | "manual";
  /** Not called `body`, which would be a stream. */
  readonly content: Content | undefined;

  constructor(
    input: string | URL,
    { method = "GET", headers, body, signal, redirect = "follow" }: RequestOptions = {},
  ) {
    this.url = new URL(input).href;
    this.method = method.toUpperCase();
    this.headers = new LeanHeaders(headers);
    this.signal = signal ?? undefined;
    this.redirect = redirect;
    this.content = contentOf(body);
    if (body instanceof URLSearchParams && !this.headers.has("content-type"))
      this.headers.set("content-type", "application/x-www-form-urlencoded");
    if (body instanceof LeanFormData) this.headers.set("content-type", body.type);
  }
}

type Content = string | Uint8Array | LeanFormData;

function contentOf(body: unknown): Content | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof LeanFormData) return body;
  if (body instanceof URLSearchParams) return body.toString();
  // In these words, by which ky learns that it cannot send streams.
  throw new TypeError("unsupported BodyInit type");
}

/** Far more than any answer holds. */
const mostBytes = 64 * 1024 * 1024;

/** What the client uses of a stream of the web. */
export interface LeanBody extends AsyncIterable<Uint8Array> {
  getReader: () => Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
  cancel: () => Promise<void>;
}

export class LeanResponse {
  readonly body: LeanBody;
  readonly status: number;
  readonly statusText: string;
  readonly headers: LeanHeaders;
  readonly url: string;

  constructor(
    body: IncomingMessage | LeanBody,
    { status = 0, statusText = "", headers = {}, url = "" }: ResponseOptions = {},
  ) {
    this.body = "getReader" in body ? body : bodyOf(body);
    this.status = status;
    this.statusText = statusText;
    this.headers = new LeanHeaders(headers);
    this.url = url;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.body) {
      length += chunk.length;
      if (length > mostBytes)
        throw new TypeError("fetch failed", { cause: new Error("The answer is larger than 64 MiB.") });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** Not as a stream of the web: those take their time to load. */
function bodyOf(message: IncomingMessage): LeanBody {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  const cancel = async () => void message.destroy();
  const read = () => chunks.next() as Promise<ReadableStreamReadResult<Uint8Array>>;
  return { getReader: () => ({ read, cancel }), cancel, [Symbol.asyncIterator]: () => chunks };
}

/** A form with texts and files, which are read while they are sent. */
export class LeanFormData {
  readonly #boundary = `promptreg-${randomUUID()}`;
  readonly #parts: (string | Blob)[] = [];

  /** By this the client knows it. */
  get [Symbol.toStringTag](): string {
    return "FormData";
  }
  get type(): string {
    return `multipart/form-data; boundary=${this.#boundary}`;
  }
  get size(): number {
    const sizes = this.#all().map((part) => (typeof part === "string" ? Buffer.byteLength(part) : part.size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  append(name: string, value: string | Blob, filename?: string): void {
    const file = filename === undefined ? "" : `; filename="${quoted(filename)}"`;
    this.#parts.push(
      `--${this.#boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}\r\n\r\n`,
    );
    this.#parts.push(value, "\r\n");
  }
  async *read(): AsyncGenerator<Uint8Array> {
    for (const part of this.#all())
      if (typeof part === "string") yield Buffer.from(part);
      else yield* part.stream();
  }
  #all(): (string | Blob)[] {
    return [...this.#parts, `--${this.#boundary}--\r\n`];
  }
}

/** As browsers write it. */
const quoted = (name: string): string =>
  name.replace(/["\r\n]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`);
