import { open } from "node:fs/promises";
import { faultOf, InputError } from "../errors.ts";

/** Far above every limit of the registry: what is larger was not meant. */
const maxBytes = 64 * 1024 * 1024;

/** Reads a file, or standard input when `source` is `-`, as text. */
export async function readInput(source: string, stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await readBytes(source, stdin);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(nameOf(source), error);
  }
}

const nameOf = (source: string) => (source === "-" ? "Standard input" : source);

/** Reads a file, or standard input when `source` is `-`, as it is. */
export async function readBytes(source: string, stdin: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const name = nameOf(source);
  try {
    if (source === "-") return await readAll(stdin, name);
    await using file = await open(source);
    return await readAll(file.createReadStream({ autoClose: false }), name);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw unreadable(name, error);
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new InputError(`${name} is larger than 64 MiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What to say of a file or folder that the system does not hand out. */
export function unreadable(name: string, error: unknown): InputError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new InputError(`${name} does not exist.`);
  return new InputError(
    `${name} cannot be read: ${code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : faultOf(error)}.`,
  );
}
