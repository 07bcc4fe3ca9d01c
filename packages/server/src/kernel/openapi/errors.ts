import { errorsOf, type Operation } from "@promptreg/core";
import { type ErrorCode, errorCatalogue } from "@promptreg/core/errors";
import { type Answer, type Example, type JsonSchema, type Ref, refTo } from "./shape.ts";

/** The body of every error answer. */
export const errorSchema: JsonSchema = {
  description: "The body of every error answer.",
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: {
          type: "string",
          description: "For programs. Its meaning never changes in `/api/v1`.",
        },
        message: { type: "string", description: "For people: what happened and what to do." },
        details: {
          type: "array",
          description: "Each thing that was wrong.",
          items: {
            type: "object",
            properties: {
              path: { type: "string", description: "A JSON Pointer into the request." },
              code: { type: "string", description: "The rule that was broken." },
              message: { type: "string" },
            },
            required: ["path", "code", "message"],
          },
        },
        requestId: {
          type: "string",
          description: "The same as in `X-Request-Id`. Quote it when you report a problem.",
        },
      },
      required: ["code", "message", "requestId"],
    },
  },
  required: ["error"],
};

const exampleOf = (code: ErrorCode): Example => {
  const { message } = errorCatalogue[code];
  return {
    summary: message,
    value: { error: { code, message, requestId: "8c1f2a6e-5d0b-4b7e-9a57-0f3c8f1f6c11" } },
  };
};

/** What error answers add to the components: one answer for each set of codes, one example for each code. */
export interface ErrorComponents {
  responses: Record<string, Answer>;
  examples: Record<string, Example>;
}

/** The error answers of an operation by status; the answer of a set of codes is named after them. */
export function errorAnswers(operation: Operation, components: ErrorComponents): Record<string, Ref> {
  const byStatus = Object.groupBy(errorsOf(operation), (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => {
      const sorted = [...codes].sort();
      const name = sorted.join("-");
      components.responses[name] ??= errorAnswer(Number(status), sorted);
      for (const code of codes) components.examples[code] ??= exampleOf(code);
      return [status, refTo("responses", name)];
    }),
  );
}

function errorAnswer(status: number, codes: readonly ErrorCode[]): Answer {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n\n"),
    headers: {
      "X-Request-Id": refTo("headers", "X-Request-Id"),
      ...(status === 401 && { "WWW-Authenticate": refTo("headers", "WWW-Authenticate") }),
      ...((status === 429 || status === 503) && { "Retry-After": refTo("headers", "Retry-After") }),
    },
    content: {
      "application/json": {
        schema: {
          allOf: [
            refTo("schemas", "Error"),
            {
              properties: {
                error: { properties: { code: { enum: [...codes] } }, additionalProperties: true },
              },
              additionalProperties: true,
            },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, refTo("examples", code)])),
      },
    },
  };
}
