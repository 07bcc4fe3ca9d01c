import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from "vitest";
import { watch } from "./socket.ts";

const silenceMs = 9_000;
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const row = Buffer.from("D, and a part of a row");

let socket: EventEmitter & { bytesWritten: number; destroy: Mock<Socket["destroy"]> };

beforeEach(() => {
  vi.useFakeTimers();
  socket = Object.assign(new EventEmitter(), { bytesWritten: 0, destroy: vi.fn<Socket["destroy"]>() });
  watch(socket as unknown as Socket, silenceMs);
  ask();
  hear(Buffer.concat([row, ready]));
});
afterEach(() => {
  vi.useRealTimers();
});

const ask = () => (socket.bytesWritten += 40);
const hear = (chunk: Buffer) => socket.emit("data", chunk);
const pass = (ms: number) => vi.advanceTimersByTime(ms);
const isLost = () => socket.destroy.mock.calls.length > 0;

describe("a connection", () => {
  test("on which something was asked, and nothing came for too long, is lost", () => {
    ask();
    pass(silenceMs);
    expect(isLost()).toBe(false);
    pass(1_000);
    expect(socket.destroy.mock.calls[0]).toMatchObject([{ code: "CONNECTION_LOST" }]);
  });

  test("is lost though more and more is asked", () => {
    for (let i = 0; i < 12; i++) {
      ask();
      pass(1_000);
    }
    expect(isLost()).toBe(true);
  });

  test("is lost when an answer ends in its middle", () => {
    ask();
    hear(row);
    pass(silenceMs + 1_000);
    expect(isLost()).toBe(true);
  });

  test("on which nothing is asked may be silent for ever, in a transaction too", () => {
    ask();
    hear(Buffer.from([...ready.subarray(0, -1), 0x54]));
    pass(10 * silenceMs);
    expect(isLost()).toBe(false);
  });

  test("that is over is looked at no more", () => {
    socket.emit("close");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("on which nothing is asked may be told something", () => {
    hear(Buffer.from("A, a notification"));
    pass(10 * silenceMs);
    expect(isLost()).toBe(false);
  });

  test("may take as long as it wants while something comes, and end in pieces", () => {
    ask();
    for (let i = 0; i < 10; i++) {
      pass(silenceMs);
      hear(row);
    }
    for (const byte of ready) hear(Buffer.from([byte]));
    pass(10 * silenceMs);
    expect(isLost()).toBe(false);
  });
});
