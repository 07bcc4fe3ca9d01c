import { readConfig, readCredential, readEnvironment } from "../config.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import { registered } from "../groups/discord/commands.ts";

const timeoutMs = 10_000;
/** Three commands are some two kilobytes. */
const mostBytes = 256 * 1024;

/** Where Discord's API is, without a slash at the end. The token goes there: in the open to this machine alone. */
function readApiUrl(text: string): string {
  const url = URL.parse(text);
  const isHere = url !== null && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return text.replace(/\/$/, "");
  throw new DatabaseSetupError(
    "DISCORD_API_URL must begin with https://, such as https://discord.com/api/v10. Leave it out for that one.",
  );
}

/** Tells Discord which commands there are, in place of those that it had. It needs no database. */
export async function register(): Promise<void> {
  const { discord } = readConfig(process.env);
  if (discord === null)
    throw new DatabaseSetupError(
      "Set DISCORD_APPLICATION_ID and DISCORD_PUBLIC_KEY first: the page of your application at Discord shows both.",
    );
  const token = readCredential(readEnvironment(process.env), "DISCORD_BOT_TOKEN", "This command");
  // Of another text, an error about headers would show it.
  if (!/^[\w.-]+$/.test(token)) throw new DatabaseSetupError("DISCORD_BOT_TOKEN is no token of a bot.");
  const api = readApiUrl(process.env["DISCORD_API_URL"] || "https://discord.com/api/v10");
  const { status, text } = await send(`${api}/applications/${discord.applicationId}/commands`, token);
  if (status !== 200) throw new DatabaseSetupError(refusal(status, text));
  const names = namesIn(text);
  if (registered.some(({ name }) => !names.includes(name)))
    throw new DatabaseSetupError(
      `${api} did not answer with the commands. Is DISCORD_API_URL the API of Discord?`,
    );
  process.stderr.write(`Registered ${names.map((name) => `/${name}`).join(", ")} at Discord.\n`);
}

async function send(url: string, token: string): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: "PUT",
      headers: {
        authorization: `Bot ${token}`,
        "content-type": "application/json",
        "user-agent": "DiscordBot (promptreg, 1)",
      },
      body: JSON.stringify(registered),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    let size = 0;
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > mostBytes) throw new Error("the answer is too long");
      chunks.push(chunk);
    }
    return { status: response.status, text: Buffer.concat(chunks).toString() };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const why =
      name === "TimeoutError"
        ? `it did not answer within ${timeoutMs / 1_000} seconds`
        : cause instanceof Error && cause.message !== ""
          ? cause.message
          : message;
    throw new DatabaseSetupError(
      `Cannot reach ${new URL(url).origin}: ${why}. Nothing is known to be registered.`,
    );
  }
}

/** Why Discord refused, and what to do. */
function refusal(status: number, text: string): string {
  if (status === 401)
    return "Discord does not accept DISCORD_BOT_TOKEN (401). Make a new one on the page of the bot.";
  if (status === 403 || status === 404)
    return `DISCORD_BOT_TOKEN is not of the application DISCORD_APPLICATION_ID (${status}). Take both from one page.`;
  if (status === 429)
    return "Discord takes no more registrations for a while (429). Try again in some minutes.";
  const said = text.replace(/[^\x20-\x7e]+/g, " ").slice(0, 300);
  return `Discord refused the commands (${status})${said === "" ? "" : `: ${said}`}`;
}

/** The names of the commands that an answer lists; none if it lists none. */
function namesIn(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map((one: unknown) => String(Object(one)["name"])) : [];
  } catch {
    return [];
  }
}
