import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Prompt, promptAt } from "../../../test/seed/prompts.ts";
import { accountAt, dayMs, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, json, type Table } from "../../../test/seed/table.ts";

const days = 180;
/** How many accounts besides `bench` get each notice: enough to fill the table, and few, because seeding takes time. */
const others = 1;

interface Notice {
  nth: number;
  id: string;
  atMs: number;
  type: string;
  prompt: Prompt | null;
}

function* noticesOf(registry: Registry): Generator<Notice> {
  const { size, number, untilMs } = registry;
  const count = size.one.notifications;
  for (let nth = 0; nth < count; nth++) {
    const draw = new Draw(number, 14, nth);
    const atMs = untilMs - Math.floor(((count - nth) / count) * days * dayMs);
    const type = draw.weighted([
      ["prompt.version.created", 60],
      ["prompt.label.moved", 34],
      ["eval.run.completed", 5],
      ["webhook.disabled", 1],
    ]);
    const prompt = type === "webhook.disabled" ? null : promptAt(registry, draw.below(size.prompts));
    yield { nth, id: idOf("evt", atMs, nth), atMs, type, prompt };
  }
}

export const seeds: Table[] = [
  {
    name: "notices",
    columns: ["id", "type", "actor_id", "title", "body", "url", "target", "created_at"],
    *rows(registry) {
      for (const { id, type, prompt, atMs } of noticesOf(registry)) {
        const ref = prompt ? `${prompt.owner.handle}/${prompt.slug}` : "receiver.example";
        const target = { type: prompt ? "prompt" : "webhook", id: ref };
        const url = `https://promptreg.example/${ref}`;
        yield [
          id,
          type,
          prompt?.owner.id ?? null,
          `About ${ref}`,
          "It happened.",
          url,
          json(target),
          at(atMs),
        ];
      }
    },
  },
  {
    name: "notifications",
    columns: ["id", "user_id", "notice_id", "type", "prompt_id", "read_at"],
    *rows(registry) {
      for (const notice of noticesOf(registry)) {
        yield notificationRow(registry, notice, 0);
        for (let other = 1; other <= others; other++) yield notificationRow(registry, notice, other);
      }
    },
  },
];

function notificationRow(
  registry: Registry,
  { nth, id, atMs, type, prompt }: Notice,
  reader: number,
): Cell[] {
  const account = reader === 0 ? 0 : 1 + ((nth * others + reader) % (registry.accounts - 1));
  // Most people read their notifications, and some never do.
  const isRead = account % 5 > 0 || (reader === 0 && nth % 3 > 0);
  return [
    idOf("ntf", atMs, nth * (others + 1) + reader),
    accountAt(registry, account).id,
    id,
    type,
    prompt?.id ?? null,
    isRead ? at(atMs + dayMs / 24) : null,
  ];
}
