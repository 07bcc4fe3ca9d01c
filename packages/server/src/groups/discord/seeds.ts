import { accountsOf } from "../../../test/seed/registry.ts";
import { sha256 } from "../../../test/seed/contents.ts";
import { at, hex, type Table } from "../../../test/seed/table.ts";

/** The number at Discord of every other account, and of some people who have none here. */
const discordIdOf = (nth: number) => String(100_000_000_000_000_000n + BigInt(nth));

export const seeds: Table[] = [
  {
    name: "discord_links",
    columns: ["user_id", "discord_id", "username", "linked_at"],
    *rows(registry) {
      let nth = 0;
      for (const { id, handle, createdMs } of accountsOf(registry))
        if (nth++ % 2 === 0) yield [id, discordIdOf(nth), handle, at(createdMs)];
    },
  },
  {
    name: "discord_codes",
    columns: ["discord_id", "username", "interaction_id", "code_hash", "expires_at"],
    *rows(registry) {
      for (let nth = 0; nth < 2_000; nth++) {
        const hash = hex(sha256(`code ${nth}`));
        yield [
          discordIdOf(1_000_000 + nth),
          `somebody.${nth}`,
          String(nth),
          hash,
          at(registry.untilMs + nth * 1_000),
        ];
      }
    },
  },
];
