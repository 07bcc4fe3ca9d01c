/** Keeps cache entries where other processes, and the next one, find them. Files of `promptDisk()` are one way. */
export interface PromptDisk {
  /** The text that was kept for an address, if there is one. An address holds a token: keep no more than its digest. */
  read(address: string): Promise<string | undefined>;
  write(address: string, text: string): Promise<void>;
  remove(address: string): Promise<void>;
}
