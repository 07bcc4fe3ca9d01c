import { apiError } from "@promptreg/core/errors";

const mebibyte = 1024 * 1024;
/** What may be held for one address. A single answer may always be larger. */
export const maxHeldBytes = 64 * mebibyte;
/** What may be held for all together, before what is large is refused. */
export const maxHeldOfAll = 256 * mebibyte;
/** What is no larger passes whatever is held for all: resolving a label goes on, whoever does not read. */
export const smallBytes = 64 * 1024;

/** A part of what is held, until it is let go. */
export interface Holding {
  add: (bytes: number) => void;
  release: () => void;
}

/** Counts what is held in memory for each address: answers that are not read yet, and bodies that are not whole. */
export class Holdings {
  #bytes = 0;
  readonly #byNetwork = new Map<string, number>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Lets so many bytes more be held for an address.
   * @throws {ApiError} `rate_limited` or `unavailable`
   */
  admit(network: string, bytes: number): void {
    if (this.#bytes === 0) return;
    const held = this.#byNetwork.get(network) ?? 0;
    if (held > 0 && held + bytes > maxHeldBytes) {
      const most = `${maxHeldBytes / mebibyte} MiB`;
      throw apiError("rate_limited", {
        message: `What is held for your address comes to ${most}: read the answers and send the bodies to their end first.`,
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
