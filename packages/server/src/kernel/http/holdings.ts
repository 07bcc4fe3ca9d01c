import { apiError } from "@promptreg/core/errors";

const mebibyte = 1024 * 1024;
/** Limit for one address. A single response may be larger. */
export const maxHeldBytes = 64 * mebibyte;
/** Limit for all addresses together. Over it, large responses are refused. */
export const maxHeldOfAll = 256 * mebibyte;
/** Responses up to this size always pass, so that labels can be resolved even if other clients do not read theirs. */
export const smallBytes = 64 * 1024;

/** Memory used for one request or response, until it is released. */
export interface Holding {
  add: (bytes: number) => void;
  release: () => void;
}

/** Counts memory by client address: for unread responses, and for bodies that are still being received. */
export class Holdings {
  #bytes = 0;
  readonly #byNetwork = new Map<string, number>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Checks whether an address may use so many more bytes.
   * @throws {ApiError} `rate_limited` or `unavailable`
   */
  admit(network: string, bytes: number): void {
    if (this.#bytes === 0) return;
    const held = this.#byNetwork.get(network) ?? 0;
    if (held > 0 && held + bytes > maxHeldBytes) {
      const most = `${maxHeldBytes / mebibyte} MiB`;
      throw apiError("rate_limited", {
        message: `Unread responses and unfinished request bodies of your address use ${most}. Finish reading and sending them first.`,
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
