import { apiError } from "@promptreg/core/errors";

const mebibyte = 1024 * 1024;
/** What the answers to one address may come to that are not read yet. One answer alone may always be larger. */
export const maxUnsentBytes = 64 * mebibyte;
/** What they may come to for all together, before large ones are refused. */
export const maxUnsentOfAll = 256 * mebibyte;
/** What is no larger passes when all together have too much: resolving a label goes on whoever does not read. */
export const smallBytes = 64 * 1024;

/** What is held in memory for those who have yet to read it. */
export class Unsent {
  #bytes = 0;
  readonly #byNetwork = new Map<string, number>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Lets an answer of so many bytes be made, or be given once it was made.
   * @throws {ApiError} `rate_limited` or `unavailable`
   */
  admit(network: string, bytes: number): void {
    if (this.#bytes === 0) return;
    const held = this.#byNetwork.get(network) ?? 0;
    if (held > 0 && held + bytes > maxUnsentBytes) {
      const most = `${maxUnsentBytes / mebibyte} MiB`;
      throw apiError("rate_limited", {
        message: `Answers to your address that are not read yet come to ${most}. Read them first.`,
      });
    }
    if (bytes > smallBytes && this.#bytes + bytes > maxUnsentOfAll) throw apiError("unavailable");
  }

  /** Holds bytes until what it gives is called. */
  hold(network: string, bytes: number): () => void {
    this.#add(network, bytes);
    return () => this.#add(network, -bytes);
  }

  #add(network: string, bytes: number): void {
    this.#bytes += bytes;
    const held = (this.#byNetwork.get(network) ?? 0) + bytes;
    if (held === 0) this.#byNetwork.delete(network);
    else this.#byNetwork.set(network, held);
  }
}
