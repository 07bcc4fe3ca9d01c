import { isIPv4 } from "node:net";
import nodemailer from "nodemailer";

/** The mail server, and the sender. */
export interface MailConfig {
  host: string;
  port: number;
  /** TLS from the start (smtps). Otherwise STARTTLS, if the server offers it. */
  isSecure: boolean;
  login: { user: string; pass: string } | null;
  from: { name: string; address: string };
}

/** A plain-text mail to one person. */
export interface Mail {
  /** For the Message-ID, which stays the same when a mail is sent again after a crash. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** A click or POST there ends mail of this kind. */
  unsubscribeUrl: string;
}

export interface Mailer {
  /** Whether the limit of concurrent mails is reached. */
  readonly isBusy: boolean;
  /**
   * Connects and logs in, and sends nothing.
   * @throws {Error} as `send` does, if that fails.
   */
  check(): Promise<void>;
  /**
   * Sends a mail. Gives null if the server accepted it, or the reason if it never will.
   * @throws {Error} if it may work later. Neither the error nor its cause contains a secret.
   */
  send(mail: Mail): Promise<string | null>;
}

/** Concurrent mails per process, so that most tasks of the worker stay free when the mail server hangs. */
const most = 4;

const stepTimeoutMs = 10_000;
/** Over all steps: a server that answers byte by byte never exceeds the timeout of a single step. */
const timeoutMs = 20_000;

const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

/** Exactly one address: anything else in the column must not become a second recipient. */
const plainAddress = /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u;

/** Connects to the mail server for each mail, and keeps no connection. */
export function openMailer({ host, port, isSecure, login, from }: MailConfig): Mailer {
  const transport = nodemailer.createTransport({
    host,
    port,
    secure: isSecure,
    // Otherwise a man in the middle could remove STARTTLS from the offer, and read the password.
    requireTLS: !isSecure && login !== null && !isLoopback(host),
    ...(login && { auth: login }),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  let sending = 0;
  return {
    get isBusy() {
      return sending >= most;
    },
    async check() {
      await transport.verify().catch((error: Refusal) => {
        throw new Error(`The mail server lets nobody in: ${reasonOf(error)}.`);
      });
    },
    async send({ id, to, subject, text, unsubscribeUrl }) {
      if (!plainAddress.test(to)) return "the address is not valid";
      sending += 1;
      try {
        await transport.sendMail({
          from,
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          messageId: `<${id}@${domain}>`,
          subject: subject.replace(/[\p{Cc}\p{Z}]+/gu, " "),
          text,
          headers: {
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          },
          list: { unsubscribe: unsubscribeUrl },
          signal: AbortSignal.timeout(timeoutMs),
        });
        return null;
      } catch (error) {
        return refusalIn(error);
      } finally {
        sending -= 1;
      }
    },
  };
}

/**
 * The reason why the server will never accept this mail: it refuses the recipient for good.
 * @throws {Error} for everything else, such as a refused login or sender: the operator can fix it, and no mail is lost.
 */
function refusalIn(error: unknown): string {
  const { code, command, response, permanent } = error as Refusal & { command?: string; permanent?: boolean };
  const said = codeIn(response);
  if (permanent && command === "RCPT TO" && said !== undefined) return `the server said ${said}`;
  throw new Error(`The mail server did not accept the mail: ${reasonOf({ code, response })}.`);
}

interface Refusal {
  code?: string | undefined;
  response?: string | undefined;
}

/** Only the code: the rest can quote what was sent. */
const codeIn = (response = "") => /^\d{3}([ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0];

const reasonOf = ({ code = "ETIMEDOUT", response }: Refusal) =>
  [code, codeIn(response)].filter(Boolean).join(" ");
