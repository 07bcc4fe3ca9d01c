import { fstatSync, writeSync } from "node:fs";
import type { Stream } from "./output.ts";

/**
 * Standard output of this process. For a terminal it is Node's stream; to open that takes longer than all else that
 * `--help` does, so what goes into a pipe or a file is written without it.
 */
export const stdout: Stream = {
  get isTTY() {
    return isDevice() && process.stdout.isTTY;
  },
  get columns() {
    return isDevice() ? process.stdout.columns : undefined;
  },
  write(chunk) {
    if (isDevice()) return process.stdout.write(chunk);
    const bytes = Buffer.from(chunk as string);
    for (let written = 0; written < bytes.length; ) {
      try {
        written += writeSync(1, bytes, written);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A reader that has enough, such as `head`, closes the pipe. That is no failure.
        if (code === "EPIPE") process.exit(0);
        if (code !== "EAGAIN") throw error;
        // Its reader is slow, and whoever made the pipe wants nobody to wait for it: Node's stream can.
        return process.stdout.write(bytes.subarray(written));
      }
    }
    return true;
  },
};

let known: boolean | undefined;
const isDevice = () => (known ??= fstatSync(1).isCharacterDevice());
