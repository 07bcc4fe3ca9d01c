import { canMove, isRepeatable, mediaList, type Operation, type ResponseMedium } from "@promptreg/core";
import type { PrintedSchemas } from "./schemas.ts";
import { type Answer, type Media, type Ref, refTo } from "./shape.ts";

const outcomes: Record<string, string> = {
  200: "The answer.",
  201: "Created.",
  202: "Accepted. The work follows soon.",
  204: "Done. The answer has no body.",
  302: "Found at the address in `Location`.",
  404: "Not found, as a page for people.",
};

const doneUnseen = "Done. The token lacks the scope `read`, so the answer has no body.";

/** The success responses of an operation, by status. */
export function printAnswers(operation: Operation, schemas: PrintedSchemas): Record<string, Answer> {
  const isGet = operation.route.startsWith("GET ");
  return {
    ...Object.fromEntries(
      Object.entries(operation.results).map(([status, declared]) => [
        status,
        printAnswer(operation, { status, media: mediaList<ResponseMedium>(declared) }, schemas),
      ]),
    ),
    ...(canMove(operation) && { [isGet ? "301" : "308"]: moved }),
    ...(isGet && { "304": operation.canWait ? unchangedWhileWaiting : unchanged }),
  };
}

function printAnswer(
  operation: Operation,
  { status, media }: { status: string; media: readonly ResponseMedium[] },
  schemas: PrintedSchemas,
): Answer {
  const { route, results, canWait } = operation;
  const isGet = route.startsWith("GET ");
  const isRedirect = media.some(({ kind }) => kind === "redirect");
  const headers = [
    "X-Request-Id",
    isGet && media.some(({ kind }) => kind !== "redirect") && "ETag",
    isGet && "Cache-Control",
    canWait && "Preference-Applied",
    (status === "201" || isRedirect) && "Location",
    isRepeatable(operation) && "Idempotency-Replayed",
    media.some((medium) => "type" in medium && medium.type === "*/*") && "X-Format-Warning",
    "RateLimit",
    "RateLimit-Policy",
  ].filter((name) => typeof name === "string");
  const content = media.flatMap((medium) =>
    "type" in medium ? [[medium.type, printAnswerMedium(medium, schemas)] as const] : [],
  );
  const isUnseen = status === "204" && Object.keys(results).length > 1;
  return {
    description: isUnseen ? doneUnseen : (outcomes[status] ?? "The answer."),
    headers: refsTo(headers),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}

const refsTo = (headers: readonly string[]): Record<string, Ref> =>
  Object.fromEntries(headers.map((name) => [name, refTo("headers", name)]));

const unchanged: Answer = {
  description: "Nothing changed since the answer that your `If-None-Match` names. There is no body.",
  headers: refsTo(["X-Request-Id", "ETag"]),
};

const unchangedWhileWaiting: Answer = {
  ...unchanged,
  headers: refsTo(["X-Request-Id", "ETag", "Preference-Applied"]),
};

const moved: Answer = {
  description: "The address changed: `Location` has the new one. The old one keeps working.",
  headers: refsTo(["X-Request-Id", "Location"]),
};

function printAnswerMedium(medium: ResponseMedium, schemas: PrintedSchemas): Media {
  if (medium.kind === "json") return { schema: schemas.answer(medium.schema) };
  return medium.kind === "bytes" ? {} : { schema: { type: "string" } };
}
