import { type Kind, type RateLimits, rateLimits } from "@promptreg/core";
import { createRateLimiter } from "../src/kernel/rate-limits/rate-limit.ts";
import { kindScenes } from "./group-scenes.ts";
import type { Person, TestServer } from "./harness.ts";
import type { Stage, Staged } from "./scenes.ts";

/** A server, people, and things of every kind that a group brings. */
export class TestStage implements Stage {
  readonly #visible = { public: new Map<Kind, Promise<Staged>>(), private: new Map<Kind, Promise<Staged>>() };
  readonly #deleted = { public: new Map<Kind, Promise<Staged>>(), private: new Map<Kind, Promise<Staged>>() };

  readonly sharedAddresses = new Set<string>();
  readonly undo: (() => unknown)[] = [];
  readonly server: TestServer;
  readonly owner: Person;
  readonly viewer: Person;

  constructor({ server, owner, viewer }: Pick<Stage, "server" | "owner" | "viewer">) {
    this.server = server;
    this.owner = owner;
    this.viewer = viewer;
  }

  /** Those in `made` are there already. */
  make(
    kind: Kind,
    visibility: "public" | "private" = "public",
    made = new Map<Kind, Promise<Staged>>(),
  ): Promise<Staged> {
    const known = made.get(kind);
    if (known) return known;
    const staged = this.#make(kind, visibility, made);
    made.set(kind, staged);
    return staged;
  }

  async #make(
    kind: Kind,
    visibility: "public" | "private",
    made: Map<Kind, Promise<Staged>>,
  ): Promise<Staged> {
    const scene = kindScenes[kind];
    if (!scene) throw new Error(`no group stages a ${kind}`);
    const above = scene.below && (await this.make(scene.below, visibility, made));
    const thing = await scene.make(this, { visibility, above: above?.thing ?? { params: {}, address: "" } });
    return { kind, thing, ...(above && { above }) };
  }

  /** One that nobody changes: for reads, and for what is refused. */
  async shared(kind: Kind, visibility: "public" | "private" = "public"): Promise<Staged> {
    const staged = await this.make(kind, visibility, this.#visible[visibility]);
    this.sharedAddresses.add(staged.thing.address);
    return staged;
  }

  /** One that was deleted when it was public or private. */
  deleted(kind: Kind, visibility: "public" | "private"): Promise<Staged> {
    const known = this.#deleted[visibility].get(kind);
    if (known) return known;
    const deleted = this.make(kind, visibility).then(async (staged) => {
      await this.remove(staged);
      return staged;
    });
    this.#deleted[visibility].set(kind, deleted);
    return deleted;
  }

  async remove({ kind, thing, above }: Staged): Promise<void> {
    const scene = kindScenes[kind];
    if (scene?.remove) await scene.remove(this, thing);
    else if (above) await this.remove(above);
    else throw new Error(`nobody can delete a ${kind}`);
  }
}

/** Lets a server answer more requests than its limits do. `giveBack` hears of those that were free. */
export async function liftLimits({ context }: TestServer, onFree = () => {}): Promise<void> {
  const most = { quota: 1_000_000, windowSeconds: 60 };
  const limits = Object.fromEntries(
    Object.entries(rateLimits).map(([name, { per }]) => [name, { per, ...most }]),
  ) as unknown as RateLimits;
  const limiter = createRateLimiter({ ...context, limits });
  await limiter.start();
  limiter.stop();
  context.limiter = {
    ...limiter,
    giveBack(charges) {
      onFree();
      return limiter.giveBack(charges);
    },
  };
}
