import type { RestrictedUse } from "@promptreg/core";

/** As much of JSON Schema 2020-12 as the contract comes to. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  contentMediaType?: string;
  description?: string;
}

export interface Ref {
  $ref: string;
}
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}
export interface Header {
  description: string;
  schema: JsonSchema;
}
export interface Example {
  summary?: string;
  value: unknown;
}
export interface Media {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, Example | Ref>;
}
export interface Answer {
  description: string;
  headers?: Record<string, Ref>;
  content?: Record<string, Media>;
}
export interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  /** The scope that a token must hold; `none` for any token. */
  "x-scope"?: string;
  /** How a restricted token may use it; absent if it cannot. */
  "x-restricted"?: RestrictedUse;
  parameters: (Parameter | Ref)[];
  requestBody?: { description?: string; required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer | Ref>;
}
export type PathItem = Partial<Record<"get" | "post" | "put" | "patch" | "delete", OperationObject>>;

/** An OpenAPI 3.1 document, as far as this server prints one. */
export interface OpenapiDocument {
  openapi: "3.1.1";
  info: Record<"title" | "version" | "summary" | "description", string> & {
    license: { name: string; identifier: string };
    contact: { name: string; url: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, PathItem>;
  components: {
    securitySchemes: Record<string, { type: "http"; scheme: "bearer"; description: string }>;
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, Answer>;
    examples: Record<string, Example>;
  };
}

const prefix = "#/components/";

export const refTo = (kind: keyof OpenapiDocument["components"], name: string): Ref => ({
  $ref: `${prefix}${kind}/${name}`,
});

/** The name at the end of a reference: `Prompt` of `#/components/schemas/Prompt`. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);
