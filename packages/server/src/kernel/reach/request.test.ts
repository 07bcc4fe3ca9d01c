import * as http from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { closeServers, listen } from "./fixtures/servers.ts";
import { openRequest } from "./request.ts";
import type { ReachError } from "./resolve.ts";

afterEach(closeServers);

test("a connection to an address that is not allowed is used for nothing, be it new or kept from when that was allowed", async () => {
  const { port } = await listen(http.createServer((_, response) => response.end()));
  const agent = new http.Agent({ keepAlive: true });
  const send = (allowUnsafe: boolean) =>
    new Promise<number | string | undefined>((resolve) => {
      const url = new URL(`http://127.0.0.1:${port}/`);
      openRequest(url, { agent }, { allowUnsafe }, { stage: "dns" })
        .on("response", (response) => response.resume().on("end", () => resolve(response.statusCode)))
        .on("error", (error: ReachError) => resolve(error.type))
        .end();
    });
  expect(await send(false)).toBe("refused_address");
  expect(await send(true)).toBe(200);
  await vi.waitFor(() => expect(Object.keys(agent.freeSockets)).toHaveLength(1));
  expect(await send(false)).toBe("refused_address");
  agent.destroy();
});
