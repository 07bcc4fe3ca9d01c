import { spawn } from "node:child_process";
import { InputError } from "../errors.ts";
import type { Io } from "../terminal/io.ts";

/** The system's own program for links. It is run without a shell, which would read the link as a command. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Some openers live as long as the browser. One that fails does so soon. */
const patienceMs = 3_000;

/** Opens a URL in whatever the system has for it. */
export async function openUrl(url: string, env: Io["env"]): Promise<void> {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { env: { ...env }, stdio: "ignore", detached: true });
  child.unref();
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(resolve, patienceMs);
      child.once("error", reject);
      child.once("exit", (code) =>
        code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`)),
      );
    });
  } catch (error) {
    throw new InputError(
      `The link could not be opened (${(error as Error).message}). Print it with --print, and open it yourself.`,
    );
  } finally {
    clearTimeout(timer);
  }
}
