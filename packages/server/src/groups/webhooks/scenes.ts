import { each, expectDone, type Act, type GroupScenes, type Stage } from "../../../test/scenes.ts";

const url = "http://127.0.0.1:9/hook";

/** An account has room for twenty. Those of earlier tests are not used any more. */
const makeRoom = ({ server: { sql }, owner, sharedAddresses }: Stage) => sql`
  update webhooks set deleted_at = clock()
  where id in (select id from webhooks where user_id = ${owner.id} order by id desc offset 5)
    and id <> all (${[...sharedAddresses]})`;

const update =
  (body: object): Act =>
  ({ owner }, { webhook }) =>
    expectDone(owner, `PATCH /webhooks/${webhook.address}`, body);

export const scenes: GroupScenes<"webhooks"> = {
  kinds: {
    /** With a delivery. They are its owner's alone. */
    webhook: {
      make: async (stage) => {
        await makeRoom(stage);
        const { id } = await expectDone(stage.owner, "POST /webhooks", { url });
        const { id: deliveryId } = await expectDone(stage.owner, `POST /webhooks/${id}/test`);
        return { params: { id, deliveryId }, address: id };
      },
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("webhook");
      },
      list: { path: "/webhooks", queries: [""] },
    },
    create: { body: { url }, isEchoing: true, isAudited: true },
    events: { etag: "pinned" },
    get: {},
    update: {},
    delete: {},
    test: {},
    "deliveries.list": {
      fill: ({ owner }, { address }) => expectDone(owner, `POST /webhooks/${address}/test`),
      list: async (sql) => {
        const [webhook] = await sql<{ id: string; oldest: string }[]>`
          select w.id, (select min(d.id) from deliveries d where d.webhook_id = w.id) as oldest
          from webhooks w where w.url = 'https://receiver.example/0'`;
        return {
          path: `/webhooks/${webhook?.id}/deliveries`,
          queries: [
            "",
            ...each("order", "desc asc"),
            ...each("after", webhook?.oldest ?? ""),
            ...each("include", "payload"),
            ...each("status", "succeeded failed pending cancelled"),
            ...each("event", "prompt.version.created prompt.label.moved prompt.deleted"),
          ],
        };
      },
    },
    "deliveries.get": {},
    "deliveries.redeliver": {},
  },
  shows: async ({ viewer }, { address, isDraft }) => {
    const filter = isDraft ? {} : { prompts: [address] };
    const { id } = await expectDone(viewer, "POST /webhooks", { url, ...filter });
    const { id: deliveryId } = await expectDone(viewer, `POST /webhooks/${id}/test`);
    return { webhook: { params: { id, deliveryId }, address: id } };
  },
  connect: (stage, things) => update({ prompts: [things.prompt.address] })(stage, things),
  changes: {
    "what a webhook is for": update({ description: "New" }),
    "its secret": update({ rotateSecret: true }),
    "its failures": ({ server }, { webhook }) =>
      server.sql`update webhooks set consecutive_failures = 3 where id = ${webhook.address}`,
    "a delivery that failed": ({ server }, { webhook }) => server.sql`
      update deliveries set status = 'failed', attempts = 1, next_attempt_at = null, completed_at = clock()
      where id = ${String(webhook.params["deliveryId"])}`,
    "one more delivery": ({ owner }, { webhook }) =>
      expectDone(owner, `POST /webhooks/${webhook.address}/test`),
    "one more webhook": ({ owner }) => expectDone(owner, "POST /webhooks", { url }),
    "the end of a webhook": update({ active: false }),
  },
};
