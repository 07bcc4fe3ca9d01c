import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { vi } from "vitest";

/** Waits until a condition is true, without a time limit. */
export const until = (holds: () => unknown): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 5 });

/** Lets a server listen on this machine, and gives its address. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
