/** What a seeded registry holds: everything is a function of its number, so that tables of any size are streamed. */
import { Draw, idOf } from "./draw.ts";
import { textsOf, words } from "./words.ts";

/** How much there is; `one` is the account `bench` with its prompt `large`, which hold as much of each as they may. */
export interface SeedSize {
  prompts: number;
  one: {
    prompts: number;
    watches: number;
    versions: number;
    labels: number;
    /** Of its label `production`. */
    moves: number;
    runs: number;
    /** Of its newest run. */
    results: number;
    /** Of its first webhook. */
    deliveries: number;
    notifications: number;
  };
  /** How many days the deliveries are spread over. */
  days: number;
  /** So many accounts, to whom prompts belong by a Zipf law. Without it most have a handful. */
  owners?: number;
  /**
   * So many texts of the length that people write, of which versions are made by a Zipf law; those of skills are their own.
   * Without it texts are short, and nearly all different.
   */
  texts?: number;
}

export const large: SeedSize = {
  prompts: 200_000,
  one: {
    prompts: 5_000,
    watches: 5_000,
    versions: 10_000,
    labels: 50,
    moves: 200_000,
    runs: 5_000,
    results: 300_000,
    deliveries: 300_000,
    notifications: 100_000,
  },
  days: 30,
};

export const small: SeedSize = {
  prompts: 20_000,
  one: {
    prompts: 1_000,
    watches: 2_500,
    versions: 2_500,
    labels: 50,
    moves: 5_000,
    runs: 2_500,
    results: 3_000,
    deliveries: 8_000,
    notifications: 5_000,
  },
  days: 4,
};

export const tiny: SeedSize = {
  ...small,
  prompts: 500,
  one: {
    prompts: 50,
    watches: 20,
    versions: 60,
    labels: 3,
    moves: 100,
    runs: 5,
    results: 50,
    deliveries: 60,
    notifications: 60,
  },
};

/** The size at which `npm run prove -- scale` measures. */
export const huge: SeedSize = { ...small, prompts: 1_000_000, owners: 50_000, texts: 20_000 };

/** A registry to be written, as it stands at one moment. */
export interface Registry {
  size: SeedSize;
  /** Another one gives another registry. */
  number: number;
  untilMs: number;
  /** The account of every prompt, before they are shuffled. */
  owners: Uint32Array;
  accounts: number;
  /** Empty if each prompt has a short one of its own. */
  texts: readonly string[];
}

export const dayMs = 86_400_000;
export const ageMs = 3 * 365 * dayMs;

const flatness = 30;

export function openRegistry(size: SeedSize, { number = 1, untilMs }: { number?: number; untilMs: number }) {
  const texts = textsOf(new Draw(number, 16), size.texts ?? 0);
  if (size.owners !== undefined) {
    // Mandelbrot's form of the law: by the plain one, the first of 50,000 would have more than an account may.
    const step = (size.owners / flatness + 1) ** (1 / size.prompts);
    const owners = Uint32Array.from({ length: size.prompts }, (_, nth) => flatness * (step ** nth - 1));
    return { size, number, untilMs, owners, accounts: size.owners, texts } satisfies Registry;
  }
  const draw = new Draw(number, 0);
  const owners = new Uint32Array(size.prompts);
  let accounts = 0;
  for (let filled = 0; filled < size.prompts; accounts++) {
    const count = accounts === 0 ? size.one.prompts : promptsOf(draw, size.prompts);
    owners.fill(accounts, filled, filled + count);
    filled += count;
  }
  // Most accounts only watch and install.
  accounts += Math.floor(size.prompts / 2);
  return { size, number, untilMs, owners, accounts, texts } satisfies Registry;
}

/** Most have a handful of prompts, few have dozens, and a very few have a hundredth of all, or 2,000. */
function promptsOf(draw: Draw, all: number): number {
  if (draw.happens(0.0005)) return Math.min(2_000, Math.ceil(all / 100));
  return draw.happens(0.04) ? 20 + draw.below(100) : 1 + draw.skewed(20);
}

export interface Account {
  id: string;
  handle: string;
  createdMs: number;
}

export function accountAt({ untilMs, accounts }: Registry, index: number): Account {
  const createdMs = untilMs - ageMs - dayMs + Math.floor((index / accounts) * dayMs);
  const handle = index === 0 ? "bench" : `${words[index % words.length]}-${index}`;
  return { id: idOf("usr", createdMs, index), handle, createdMs };
}

export function* accountsOf(registry: Registry): Generator<Account> {
  for (let index = 0; index < registry.accounts; index++) yield accountAt(registry, index);
}
