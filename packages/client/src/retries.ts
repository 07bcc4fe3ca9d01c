import { isHTTPError, type Options } from "ky";
import { retryAfterMs } from "./errors.ts";
import type { Limits } from "./limits.ts";

const forTheMoment = [408, 429, 500, 502, 503, 504];

/** The longest wait before a repetition, counted from 1, where the server asks for none; its jitter is full. */
const backoffMs = (count: number) => 300 * 2 ** (count - 1);

/** What is sent again and when. Where the deadline would come first there is no wait: the caller hears at once. */
export const retriesOf = (
  limit: number,
  { leftMs }: Limits,
): Exclude<Options["retry"], number | undefined> => ({
  limit,
  methods: ["get", "put", "delete", "post"],
  statusCodes: forTheMoment,
  afterStatusCodes: forTheMoment,
  delay: backoffMs,
  jitter: true,
  shouldRetry({ error, retryCount }) {
    const askedMs = isHTTPError(error) ? retryAfterMs(error.response) : undefined;
    return (askedMs ?? backoffMs(retryCount)) >= leftMs() ? false : undefined;
  },
});
