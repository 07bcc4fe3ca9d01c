import nodemailer from "nodemailer";

/** How mail leaves: the server that takes it, and whose name it bears. */
export interface MailConfig {
  host: string;
  port: number;
  /** TLS from the first byte (smtps); otherwise it begins with STARTTLS where the server offers it. */
  isSecure: boolean;
  login: { user: string; pass: string } | null;
  from: { name: string; address: string };
}

/** A text to one person. */
export interface Mail {
  /** Makes the Message-ID: the same for a mail that is sent again after a crash. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** Where a click, or a POST, ends mail of this kind. */
  unsubscribeUrl: string;
}

export interface Mailer {
  /** As many are on their way as may be at once. */
  readonly isBusy: boolean;
  /**
   * Sends a mail, and gives null once the server has taken it; otherwise why it never will be.
   * @throws {Error} where it may work later; neither the message nor what it wraps holds a secret.
   */
  send(mail: Mail): Promise<string | null>;
}

/** Mails at once in one process: most slots of the worker stay free when the server hangs. */
const most = 4;

const stepTimeoutMs = 10_000;
/** Over all steps: a server that drips beats every time limit of a single one. */
const timeoutMs = 20_000;

const isLoopback = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);

/** One address and nothing beside it: what else the column may hold must not become a second recipient. */
const plainAddress = /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u;

/** Opens the way to a mail server. No connection is made before there is mail, and none is kept. */
export function openMailer({ host, port, isSecure, login, from }: MailConfig): Mailer {
  const transport = nodemailer.createTransport({
    host,
    port,
    secure: isSecure,
    // Or whoever sits between could take STARTTLS out of the offer, and read the password.
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
    async send({ id, to, subject, text, unsubscribeUrl }) {
      if (!plainAddress.test(to)) return "the address is not one";
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
 * What the server said where it refused this mail for good. A login that is refused says nothing about the mail: the
 * operator can mend it, and nothing is lost.
 * @throws {Error} for everything else.
 */
function refusalIn(error: unknown): string {
  const { code, response, permanent } = error as { code?: string; response?: string; permanent?: boolean };
  // No more than its codes, since the rest can quote what it was sent.
  const [said] = /^\d{3}([ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response ?? "") ?? [];
  if (permanent && (code === "EENVELOPE" || code === "EMESSAGE") && said !== undefined)
    return `the server said ${said}`;
  throw new Error(
    `The mail server did not take it: ${[code ?? "ETIMEDOUT", said].filter(Boolean).join(" ")}.`,
  );
}
