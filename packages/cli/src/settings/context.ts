import type { Io, Option } from "../terminal/io.ts";
import { cell } from "../terminal/text.ts";
import type { ClientOptions, OnAttempt } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { createAnswerCheck } from "../requests/check-answers.ts";
import { Interrupted, UsageError } from "../errors.ts";
import { createOutput, type Output } from "../terminal/output.ts";
import { type Config, readConfig } from "./config-file.ts";
import { createRateLimitFetch, notingWaits } from "../requests/rate-limits.ts";
import { type Choice, type Destination, destinationOf } from "./profiles.ts";

/** The options that every command has. */
export interface GlobalOptions extends Choice {
  json?: boolean;
  yes?: boolean;
  debug?: boolean;
}

/** What a command gets to work with. */
export interface Context extends Pick<Io, "env" | "stdin" | "stdout" | "ask"> {
  output: Output;
  /** How the server was chosen on the command line. */
  choice: Choice;
  /** The profiles that are kept here. */
  config: () => Promise<Config>;
  /** The server that is called, and the token. */
  destination: () => Promise<Destination>;
  /** Makes the client, which is not loaded before; for where the command line leads, unless it is told otherwise. */
  connect: (to?: Pick<Destination, "url" | "token" | "source">) => Promise<Client>;
  /** Makes one for many requests: it waits for as long as the server says, which `waiting` tells of. */
  connectForMany: () => Promise<{ client: Client; waiting: () => string }>;
  /**
   * Goes on when the answer is yes, or was given as `--yes`.
   * @throws {Interrupted} for a no. @throws {UsageError} where there is nobody to ask.
   */
  confirm: (question: string) => Promise<void>;
  /**
   * Takes some of several: those that are chosen; all, after `confirm`, if there is one alone or nobody can choose.
   * @throws {Interrupted} if none is chosen.
   */
  choose: <Item>(
    question: string,
    items: readonly Item[],
    describe: (item: Item) => Option,
  ) => Promise<readonly Item[]>;
  /** Requests to other servers than the registry. */
  fetch: typeof fetch;
  /** For what takes several requests: Ctrl-C then aborts this signal, so that it can say how far it came. */
  holdInterrupts: () => AbortSignal;
}

export function createContext(io: Io, options: GlobalOptions): Context {
  const { timeoutMs = 30_000 } = io;
  const output = createOutput(io, options);
  // Once, however often it is asked for: what is wrong with the file is said once.
  let read: Promise<Config> | undefined;
  const config = () => (read ??= readConfig(io.env, output.note));
  const destination = async () => destinationOf(io.env, options, await config());
  let held: AbortSignal | undefined;

  async function connect(
    to?: Pick<Destination, "url" | "token" | "source">,
    how: Pick<ClientOptions, "fetch" | "timeoutMs" | "bodyTimeoutMs"> = {
      fetch: notingWaits(io.fetch ?? fetch, output.note),
      timeoutMs,
    },
  ): Promise<Client> {
    const [{ createClient }, { url, token, source }] = await Promise.all([
      import("@promptreg/client"),
      to ?? destination(),
    ]);
    if (options.debug) output.note(source === undefined ? "no token" : `token of ${source}`);
    const onAttempt = options.debug ? logAttempts(output.note) : undefined;
    try {
      const validate = createAnswerCheck();
      return createClient<Client>({ ...how, baseUrl: url, token: token ?? null, onAttempt, validate });
    } catch (error) {
      const { message } = error as Error;
      throw new UsageError(
        message.startsWith("The token")
          ? `${message} It comes from ${source}.`
          : `${nameOfUrl(url)}${message}`,
      );
    }
  }

  async function confirm(question: string): Promise<void> {
    if (options.yes) return;
    if (io.ask === undefined)
      throw new UsageError(`${question} There is no terminal to ask on. Answer with --yes.`);
    if (!(await io.ask.confirm(cell(question), held))) throw new Interrupted("Nothing was changed.");
  }

  return {
    env: io.env,
    stdout: io.stdout,
    get stdin() {
      return io.stdin;
    },
    get ask() {
      return io.ask;
    },
    output,
    choice: options,
    config,
    destination,
    connect: (to) => connect(to),
    async connectForMany() {
      const rateLimits = createRateLimitFetch(
        io.fetch ?? fetch,
        () => held,
        timeoutMs,
        // A terminal has it in the line of the progress.
        io.stderr.isTTY ? undefined : output.note,
      );
      const how = {
        fetch: rateLimits.fetch,
        timeoutMs: Number.POSITIVE_INFINITY,
        bodyTimeoutMs: timeoutMs,
      };
      return { client: await connect(undefined, how), waiting: rateLimits.waiting };
    },
    confirm,
    async choose(question, items, describe) {
      if (options.yes || io.ask === undefined || items.length === 1) {
        await confirm(question);
        return items;
      }
      const shown = items.map(describe).map(({ label, hint }) => ({ label: cell(label), hint: cell(hint) }));
      const chosen = new Set(await io.ask.choose(cell(question), shown, held));
      if (chosen.size === 0) throw new Interrupted("Nothing was changed.");
      return items.filter((_, index) => chosen.has(index));
    },
    fetch: io.fetch ?? fetch,
    holdInterrupts: () => (held ??= io.holdInterrupts?.() ?? new AbortController().signal),
  };
}

/** Names an address that cannot be one, unless it holds a password. */
const nameOfUrl = (url: string): string =>
  url.includes("@") ? "" : `"${url.slice(0, 100)}" is not the address of a server. `;

/** Tells of each request and its answer, but neither headers nor bodies, which hold secrets. */
const logAttempts =
  (note: (text: string) => void): OnAttempt =>
  ({ method, url }) =>
  ({ status, requestId, durationMs }) => {
    const outcome = status === undefined ? "failed" : `${status} (request ${requestId})`;
    note(`${method} ${url} ${outcome} in ${Math.round(durationMs)} ms`);
  };
