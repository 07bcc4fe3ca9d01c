import { open } from "node:fs/promises";
import { InputError } from "./errors.ts";

/** Far above every limit of the registry: what is larger was not meant. */
const maxBytes = 64 * 1024 * 1024;

/** Reads a file, or standard input when `source` is `-`, as text. */
export async function readInput(source: string, stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const name = source === "-" ? "Standard input" : source;
  try {
    if (source === "-") return await readText(stdin, name);
    await using file = await open(source);
    return await readText(file.createReadStream({ autoClose: false }), name);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw unreadable(name, error);
  }
}

async function readText(stream: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new InputError(`${name} is over 64 MiB.`);
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** What to say of a file or folder that the system does not hand out. */
export function unreadable(name: string, error: unknown): InputError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new InputError(`${name} does not exist.`);
  return new InputError(
    `${name} cannot be read: ${code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : message}.`,
  );
}
