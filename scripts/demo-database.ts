import { randomBytes } from "node:crypto";
import postgres from "postgres";

/** A database for the demo alone. */
export interface DemoDatabase {
  /** What its programs are told. */
  env: Record<string, string>;
  drop(): Promise<void>;
}

/** On the server that DATABASE_URL names, a new database; without one nothing, since our programs bring their own. */
export async function makeDatabase(url: string | undefined): Promise<DemoDatabase> {
  if (!url) return { env: {}, drop: async () => {} };
  const name = `promptreg_demo_${randomBytes(4).toString("hex")}`;
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    env: { DATABASE_URL: own.href, PROMPTREG_SECRET: randomBytes(32).toString("base64") },
    async drop() {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
