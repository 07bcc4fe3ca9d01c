// A receiver as a fetch handler. Next.js and SvelteKit take it as a route. On Deno, Bun and Cloudflare Workers, add
// `export default { fetch: POST }`.
import { once, receive } from "@promptreg/core/webhooks";
import { handle, secrets, statusOf, store } from "./inbox.ts";

export async function POST(request: Request): Promise<Response> {
  try {
    const body = await request.arrayBuffer();
    const event = await receive(body, request.headers.get("service-signature"), secrets);
    await once(event, store, handle);
    return new Response(null, { status: 204 });
  } catch (error) {
    console.error(error);
    return new Response(null, { status: statusOf(error) });
  }
}
