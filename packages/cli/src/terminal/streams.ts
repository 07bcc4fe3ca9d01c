import type { Stream } from "./io.ts";
import { faultOf, InputError } from "../errors.ts";
import { fstatSync, writeSync } from "node:fs";

/**
 * An output of this process. For a terminal it is Node's stream; to open that takes longer than all else that `--help`
 * does, so what goes into a pipe or a file is written without it.
 */
function outputOf(fd: number, stream: () => Stream): Stream {
  let known: boolean | undefined;
  let isSlow = false;
  const isDevice = () => (known ??= fstatSync(fd).isCharacterDevice());
  return {
    get isTTY() {
      return isDevice() && stream().isTTY;
    },
    get columns() {
      return isDevice() ? stream().columns : undefined;
    },
    write(chunk) {
      // Once Node's stream holds something back, all else must come after it.
      if (isDevice() || isSlow) return stream().write(chunk);
      const bytes = Buffer.from(chunk as string);
      for (let written = 0; written < bytes.length; ) {
        try {
          written += writeSync(fd, bytes, written);
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          // A reader that has enough, such as `head`, closes the pipe. That is no failure.
          if (code === "EPIPE") process.exit(0);
          // Its reader is slow, and whoever made the pipe wants nobody to wait for it: Node's stream can.
          isSlow = code === "EAGAIN";
          if (isSlow) return stream().write(bytes.subarray(written));
          throw unwritten(error as Error);
        }
      }
      return true;
    },
  };
}

/** What to say if an output cannot be written, mostly on a full disk. */
export const unwritten = (error: Error): InputError =>
  new InputError(`The output cannot be written: ${faultOf(error)}.`);

export const stdout: Stream = outputOf(1, () => process.stdout);
export const stderr: Stream = outputOf(2, () => process.stderr);
