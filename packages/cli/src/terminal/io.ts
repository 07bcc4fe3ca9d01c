/** A stream that the command writes to; a terminal when `isTTY`. */
export interface Stream {
  write(chunk: string | Uint8Array): unknown;
  isTTY?: boolean | undefined;
  /** How wide a terminal is. */
  columns?: number | undefined;
}

/** What can be chosen: its name, and a word about it. */
export interface Option {
  label: string;
  hint: string;
}

/** Asks whoever sits at the terminal; both reject with `Interrupted` when that is ended. */
export interface Ask {
  confirm: (question: string, signal?: AbortSignal) => Promise<boolean>;
  /** Lets choose some of several, all of which are chosen at first; gives their numbers. */
  choose: (question: string, options: readonly Option[], signal?: AbortSignal) => Promise<number[]>;
  /** Reads a line. */
  text: (question: string) => Promise<string>;
  /** Reads a line without showing it. */
  secret: (question: string) => Promise<string>;
}

/** What surrounds a command: the process, or a test. */
export interface Io {
  stdout: Stream;
  stderr: Stream;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean };
  env: Readonly<Record<string, string | undefined>>;
  /** Sends the requests; the runtime's own when absent. */
  fetch?: typeof fetch | undefined;
  /** How long the server may be silent. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Absent where nobody can be asked. */
  ask?: Ask | undefined;
  /** From then on Ctrl-C, SIGTERM and SIGHUP only abort the signal; each of them ends the process the second time. */
  holdInterrupts?: (() => AbortSignal) | undefined;
}
