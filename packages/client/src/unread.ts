/**
 * The same response for a reader of its body, which is read part by part, as it is asked for.
 * @param inTime waits for a part. @param end is called when the body is read to its end, or no more.
 */
export function unread(
  response: Response,
  inTime: <T>(part: Promise<T>) => Promise<T>,
  end: () => void,
): Response {
  // Some implementations of `fetch` have no streams.
  const reader = response.body?.getReader?.();
  if (!reader) return response;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await inTime(reader.read());
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason).finally(end),
    },
    // Nothing is read ahead: a reader that takes its time is no silent server.
    { highWaterMark: 0 },
  );
  const { url, redirected } = response;
  return Object.defineProperties(new Response(body, response), {
    url: { value: url },
    redirected: { value: redirected },
  });
}
