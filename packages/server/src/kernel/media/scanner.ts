import { connect, type NetConnectOpts, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Where clamd listens. */
export interface ScannerConfig {
  /** What people read of it. */
  url: string;
  address: { host: string; port: number } | { path: string };
}

/** A scanner that is away, or says neither yes nor no. Its code is one that work waits for. */
export class ScannerError extends Error {
  override readonly name = "ScannerError";
  readonly code = "ECONNSCAN";
}

/** Longer than clamd looks at a file unless it is told otherwise: what it gives up by itself is not asked again. */
const usualMs = 150_000;

/** Asks clamd whether files are clean, by its command INSTREAM. */
export class Scanner {
  readonly #address: NetConnectOpts;
  readonly #ms: number;

  constructor({ address }: Pick<ScannerConfig, "address">, ms = usualMs) {
    this.#address = address;
    this.#ms = ms;
  }

  /**
   * Why a file cannot be taken, for its owner; null if it is clean.
   * @throws {ScannerError}, or what `bytes` fail with.
   */
  async scan(bytes: Readable, stopping?: AbortSignal): Promise<string | null> {
    const late = new AbortController();
    const tooLate = new ScannerError(`the scanner took longer than ${this.#ms / 1000} seconds`);
    const timer = setTimeout(() => late.abort(tooLate), this.#ms);
    const signal = AbortSignal.any([late.signal, ...(stopping ? [stopping] : [])]);
    const socket = connect({ ...this.#address, signal });
    const answer = answerOf(socket);
    // It is awaited once all was sent, and may fail before.
    answer.catch(() => {});
    try {
      await pipeline(bytes, (chunks: AsyncIterable<Buffer>) => send(socket, chunks), { signal });
      return reasonOf(await answer);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
  }
}

/** Sends a file in chunks, each after its length. Who does not listen any more has answered, or is gone. */
async function send(socket: Socket, chunks: AsyncIterable<Buffer>): Promise<void> {
  const sent = (data: Uint8Array) => new Promise<void>((resolve) => socket.write(data, () => resolve()));
  await sent(Buffer.from("zINSTREAM\0"));
  for await (const chunk of chunks) {
    if (!socket.writable) return;
    // A length of none is the end.
    if (chunk.length === 0) continue;
    void sent(lengthOf(chunk));
    await sent(chunk);
  }
  await sent(lengthOf(Buffer.alloc(0)));
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

const answerBytes = 4096;

/** What is said until a NUL. */
async function answerOf(socket: Socket): Promise<string> {
  let said = "";
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      said += chunk.toString("latin1", 0, answerBytes);
      const end = said.indexOf("\0");
      if (end >= 0) return said.slice(0, end);
      if (said.length > answerBytes) break;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ScannerError(`the scanner cannot be reached (${code ?? message})`);
  }
  throw new ScannerError(`the scanner gave no whole answer: ${quoted(said)}`);
}

function reasonOf(answer: string): string | null {
  if (answer === "stream: OK") return null;
  const [, name] = /^stream: (.*) FOUND$/s.exec(answer) ?? [];
  // Whoever wrote the signatures chose the name.
  if (name !== undefined)
    return `The scanner found ${name.replace(/[^\w.:(){}+-]/g, "").slice(0, 100) || "something"} in it.`;
  if (answer === "INSTREAM size limit exceeded. ERROR") return tooLarge;
  throw new ScannerError(`the scanner answered ${quoted(answer)}`);
}

const tooLarge = "It is larger than what the scanner of this server reads.";

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));
