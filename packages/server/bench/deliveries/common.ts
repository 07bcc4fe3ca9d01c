/** What the processes of this benchmark share. */
import { join } from "node:path";

const fixtures = join(import.meta.dirname, "../../src/kernel/reach/fixtures");
/** A self-signed certificate for 127.0.0.1. */
export const certificatePath = join(fixtures, "localhost.crt.pem");
export const keyPath = join(fixtures, "localhost.key.pem");

/** The time by a clock that all processes of this machine share. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
