/** Stores cache entries for other and later processes. `promptDisk()` stores them in files. */
export interface PromptDisk {
  /** Reads the text of an address, if there is one. An address contains a token: store only its digest. */
  read(address: string): Promise<string | undefined>;
  write(address: string, text: string): Promise<void>;
  remove(address: string): Promise<void>;
}
