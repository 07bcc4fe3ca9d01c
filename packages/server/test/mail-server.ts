import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { MailConfig } from "../src/kernel/mailer.ts";

/** A mail as it came in: raw, and by its header fields, unfolded. */
export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
  fields: Map<string, string>;
  text: string;
}

/** A real SMTP server of a test. */
export interface MailServer {
  config: MailConfig;
  received: ReceivedMail[];
  /** What it says to every mail from now on, such as 451; 250 at first. */
  answers: number;
  /** What it says to every sender, and to every recipient. */
  answersSender: number;
  answersRecipient: number;
  /** Answers wait for this. */
  held: Promise<void>;
  /** How many wait for their answer. */
  open: number;
  stop(): Promise<void>;
}

export async function startMailServer(
  options: SMTPServerOptions & { port?: number } = {},
): Promise<MailServer> {
  const { port = 0, ...rest } = options;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onMailFrom: (_address, _session, done) => done(refusalOf(mails.answersSender)),
    onRcptTo: (_address, _session, done) => done(refusalOf(mails.answersRecipient)),
    onData: (stream, session, done) =>
      void buffer(stream).then(async (data) => {
        mails.open += 1;
        await mails.held;
        mails.open -= 1;
        if (mails.answers !== 250) {
          return done(refusalOf(mails.answers));
        }
        const { mailFrom, rcptTo } = session.envelope;
        mails.received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...parse(data.toString("utf8")),
        });
        return done();
      }),
    ...rest,
  });
  // Clients that leave in the middle are what some tests are about.
  server.on("error", () => {});
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const address = server.server.address() as AddressInfo;
  const mails: MailServer = {
    config: {
      host: "127.0.0.1",
      port: address.port,
      isSecure: false,
      login: null,
      from: { name: "Promptreg", address: "no-reply@prompts.example" },
    },
    received: [],
    answers: 250,
    answersSender: 250,
    answersRecipient: 250,
    held: Promise.resolve(),
    open: 0,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mails;
}

const refusalOf = (answer: number) =>
  answer === 250 ? null : Object.assign(new Error("Not you."), { responseCode: answer });

function parse(raw: string): Pick<ReceivedMail, "raw" | "fields" | "text"> {
  const [head = "", ...rest] = raw.split("\r\n\r\n");
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const fields = lines.map((line): [string, string] => {
    const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    return [name.toLowerCase(), value];
  });
  const body = rest.join("\r\n\r\n");
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head);
  const text = isQuoted
    ? Buffer.from(
        body
          .replace(/=\r\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
        "latin1",
      ).toString("utf8")
    : body;
  return { raw, fields: new Map(fields), text: text.replaceAll("\r\n", "\n") };
}
