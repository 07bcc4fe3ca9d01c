import { apiError } from "@promptreg/core/errors";

const mebibyte = 1024 * 1024;
/** Limit for one address. A single answer may always be larger. */
export const maxHeldBytes = 64 * mebibyte;
/** Limit for all addresses together. Over it, large answers are refused. */
export const maxHeldOfAll = 256 * mebibyte;
/** Answers up to this size always pass, so that resolving a label works even when others do not read theirs. */
export const smallBytes = 64 * 1024;

/** Memory held for one request or answer, until it is released. */
export interface Holding {
  add: (bytes: number) => void;
  release: () => void;
}

/** Counts memory held for each address: answers not read yet, and incomplete bodies. */
export class Holdings {
  #bytes = 0;
  readonly #byNetwork = new Map<string, number>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Checks whether an address may hold so many more bytes.
   * @throws {ApiError} `rate_limited` or `unavailable`
   */
  admit(network: string, bytes: number): void {
    if (this.#bytes === 0) return;
    const held = this.#byNetwork.get(network) ?? 0;
    if (held > 0 && held + bytes > maxHeldBytes) {
      const most = `${maxHeldBytes / mebibyte} MiB`;
      throw apiError("rate_limited", {
        message: `Unread answers and unfinished bodies of your address use ${most}. Read and send them to the end first.`,
      });
    }
    if (bytes > smallBytes && this.#bytes + bytes > maxHeldOfAll) throw apiError("unavailable");
  }

  hold(network: string): Holding {
    let held = 0;
    const add = (bytes: number) => {
      held += bytes;
      this.#bytes += bytes;
      const all = (this.#byNetwork.get(network) ?? 0) + bytes;
      if (all === 0) this.#byNetwork.delete(network);
      else this.#byNetwork.set(network, all);
    };
    return { add, release: () => add(-held) };
  }
}
