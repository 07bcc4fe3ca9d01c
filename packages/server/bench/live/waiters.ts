import { connect, type Socket } from "node:net";

/** Connections of one address: a server takes a few hundred. */
const perAddress = 400;

export interface Waiter {
  /** Begins to wait. Resolves to the answer and when it was there, in milliseconds of this process. */
  wait(request: string): Promise<{ text: string; at: number }>;
  close(): void;
}

/** Opens connections that wait, from as many addresses of this machine as that takes. */
export async function openWaiters(count: number, { port }: { port: number }): Promise<Waiter[]> {
  const waiters: Waiter[] = [];
  for (let nth = 0; nth < count; nth += 100) {
    const some = Array.from({ length: Math.min(100, count - nth) }, (_, offset) =>
      openWaiter(port, `127.0.${1 + (port % 200)}.${1 + Math.floor((nth + offset) / perAddress)}`),
    );
    waiters.push(...(await Promise.all(some)));
  }
  return waiters;
}

async function openWaiter(port: number, localAddress: string): Promise<Waiter> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect({ host: "127.0.0.1", port, localAddress }, () => resolve(opened));
    opened.once("error", reject);
  });
  socket.setNoDelay(true).setEncoding("latin1");
  let text = "";
  let end: ((answer: { text: string; at: number }) => void) | undefined;
  socket.on("data", (part: string) => {
    text += part;
    if (!isWhole(text)) return;
    end?.({ text, at: performance.now() });
    text = "";
  });
  return {
    wait: (request) =>
      new Promise((resolve) => {
        end = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** Whether a response is there with all of its body. */
function isWhole(text: string): boolean {
  const start = text.indexOf("\r\n\r\n");
  if (start === -1) return false;
  const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
  const isChunked = /transfer-encoding: chunked/i.test(text.slice(0, start));
  return isChunked ? text.endsWith("0\r\n\r\n") : text.length - start - 4 >= Number(length);
}
