import { ApiError } from "@promptreg/core/errors";
import type { AnyInput, AnyOptions, Call } from "./calls.ts";
import { notModified } from "./errors.ts";
import { type Connection, exchange } from "./exchange.ts";

/** Loaded by the first call: an application that only gets prompts needs no addresses of all operations. */
const operations = () => import("./operations.ts");

/** Calls an operation for an application. The promise resolves to the data, and offers the response and the items. */
export function call(
  connection: Connection,
  id: string,
  input: AnyInput = {},
  options?: AnyOptions,
): Call<unknown> {
  // The caller may change its own while the operations are loaded.
  const asked = { ...input };
  const answer = operations().then(async ({ toRequest }) => {
    const answered = await exchange(connection, id, toRequest(id, asked, options), options);
    if (answered.response.status === 304) throw notModified(answered.response);
    return answered;
  });
  const data = answer.then((answered) => answered.data);
  return Object.assign(data, {
    withResponse() {
      // This caller gets the rejection below. Without the catch, the other promise would report it as unhandled.
      data.catch(() => undefined);
      return answer;
    },
    // Every call has it, and only the types of lists show it. A table of lists would make the bundle larger for nothing.
    async *[Symbol.asyncIterator]() {
      const { eachItem } = await operations();
      const next = (cursor: string) =>
        call(connection, id, { ...asked, query: { ...asked.query, cursor } }, options);
      yield* eachItem(data, { start: asked.query?.["cursor"], next, unexpected });
    },
  });
}

const unexpected = (message: string) => new ApiError({ code: "unexpected_response", status: 200, message });
