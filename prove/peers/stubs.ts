import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promptOf } from "../../packages/client/bench/prompt.ts";

type Answer = (path: string) => { status: number; body: string; etag?: string };

/** Serves on this machine what `answer` says, as JSON, and gives its address. */
export async function serveJson(answer: Answer): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const { status, body, etag } = answer(request.url ?? "");
    const headers = { "content-type": "application/json", "x-request-id": "req-1", ...(etag && { etag }) };
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Answers as the registry does. */
export const asRegistry =
  (content: string): Answer =>
  () => ({ status: 200, ...promptOf(content) });

/** Answers as Langfuse's `GET /api/public/v2/prompts/{name}` does. */
export const asLangfuse =
  (content: string): Answer =>
  () => ({ status: 200, body: langfusePrompt(content, 1) });

export const langfusePrompt = (prompt: string, version: number): string =>
  JSON.stringify({
    type: "text",
    name: "reply",
    version,
    prompt,
    config: { model: "any" },
    labels: ["production", "latest"],
    tags: [],
    commitMessage: null,
  });

/** Answers as LangSmith's `GET /commits/{owner}/{name}/{commit}` does. */
export const asLangSmith =
  (template: string): Answer =>
  () => ({
    status: 200,
    body: JSON.stringify({
      commit_hash: "0".repeat(64),
      manifest: {
        lc: 1,
        type: "constructor",
        id: ["langchain", "prompts", "prompt", "PromptTemplate"],
        kwargs: { template, input_variables: [], template_format: "mustache" },
      },
      examples: [],
    }),
  });
