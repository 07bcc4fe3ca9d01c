import type { EventAbout } from "../../language/event.ts";
import { type Describe, did } from "../../language/notification.ts";

interface NamedExample {
  id: string;
  title: string | null;
  /** Its address in the API. */
  url: string;
}

/** An example that waits for the owner of its prompt. */
export interface SubmittedExample extends EventAbout {
  example: NamedExample;
}

/** An example that somebody else than its author approved or rejected. */
export interface DecidedExample extends EventAbout {
  example: NamedExample & { status: "approved" | "rejected"; reason: string | null };
}

const about = ({ id, url }: NamedExample) => ({ url, target: { type: "example" as const, id } });

export const exampleNotifications: {
  "example.submitted": Describe<SubmittedExample, "example">;
  "example.decided": Describe<DecidedExample, "example">;
} = {
  "example.submitted": ({ prompt, actor, example }) => ({
    title: `An example of ${prompt.ref} waits for your approval`,
    body: did("Submitted", actor, example.title),
    ...about(example),
  }),
  "example.decided": ({ prompt, actor, example }) => ({
    title: `Your example of ${prompt.ref} was ${example.status}`,
    body: did(
      example.status === "approved" ? "Approved" : "Rejected",
      actor,
      example.reason ?? example.title,
    ),
    ...about(example),
  }),
};
