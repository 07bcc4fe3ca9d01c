import { listOperations } from "@promptreg/core";
import { errorSchema } from "./errors.ts";
import { eventSchemas, printDeliveries, printEnvelopes } from "./events.ts";
import { deliveries, headers, introduction, parameters, tokenDescription } from "./conventions.ts";
import { groupOf, type Printing, printOperation } from "./operation.ts";
import { printSchemas } from "./schemas.ts";
import type { OpenapiDocument, PathItem } from "./shape.ts";

/** Prints the OpenAPI 3.1 document of a contract; `publicUrl` is the origin without a trailing slash. */
export function printOpenapi(contract: object, { publicUrl }: { publicUrl: string }): OpenapiDocument {
  const operations = listOperations(contract);
  const schemas = printSchemas(contract, eventSchemas);
  const printing: Printing = { schemas, responses: {}, examples: {} };
  const paths: Record<string, PathItem> = {};
  for (const { id, operation } of operations) {
    const [method = "", path = ""] = operation.route.replaceAll("*}", "}").split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: printOperation(id, operation, printing) };
  }
  const tags = new Map(operations.map(({ id }) => [groupOf(id).title, groupOf(id).description]));
  return {
    openapi: "3.1.1",
    info: {
      title: "Promptreg",
      version: "1",
      summary: "A registry for prompts: immutable versions, movable labels, signed webhooks.",
      description: introduction,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      contact: { name: "Those who run this server", url: publicUrl },
    },
    servers: [{ url: `${publicUrl}/api/v1`, description: "This server." }],
    tags: [
      ...[...tags].map(([name, description]) => ({ name, description })),
      { name: "Events", description: deliveries },
    ],
    paths,
    webhooks: printDeliveries(),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: tokenDescription } },
      schemas: { Error: errorSchema, ...schemas.components, ...printEnvelopes(schemas) },
      parameters,
      headers,
      responses: printing.responses,
      examples: printing.examples,
    },
  };
}
