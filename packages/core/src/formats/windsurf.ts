import { type FormatFile, FormatError } from "./format.ts";
import { textFile } from "./text.ts";

const maxLength = 12_000;

/**
 * A file of Windsurf, which reads no longer ones.
 * @throws {FormatError} `format_too_large`.
 */
export function windsurfFile(path: string, text: string): FormatFile {
  const file = textFile(path, text);
  if (file.content.length > maxLength) {
    throw new FormatError(
      "format_too_large",
      `Windsurf takes files of at most ${maxLength} characters. This one would have ${file.content.length}.`,
    );
  }
  return file;
}
