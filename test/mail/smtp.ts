import type { TestContext } from "node:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { MailServer } from "../../src/lib/mail-server.ts";

export interface Taken {
  from: string;
  to: string[];
  raw: string;
  /** Whether it came over TLS, and who had signed in. */
  secure: boolean;
  user: string | undefined;
}

export interface SmtpOptions extends SMTPServerOptions {
  /**
   * Called with each accepted message before it is answered: a returned text is the answer, a thrown error a refusal.
   */
  answer?: (taken: Taken) => string | undefined | Promise<string | undefined>;
  /** How long it waits before it reads a message. */
  readsAfterMs?: number;
}

/** A real SMTP server on loopback that keeps what it accepts. */
export async function smtpServer(
  t: Pick<TestContext, "after">,
  { answer = () => undefined, readsAfterMs = 0, ...options }: SmtpOptions = {},
  partial: Partial<MailServer> = {},
) {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    // Pools keep their connections open.
    closeTimeout: 100,
    authOptional: true,
    ...options,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      const read = () => stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      if (readsAfterMs === 0) read();
      else setTimeout(read, readsAfterMs);
      stream.on("end", () => {
        if (stream.sizeExceeded) return done(Object.assign(new Error("5.3.4 too large"), { responseCode: 552 }));
        const { mailFrom, rcptTo } = session.envelope;
        const message: Taken = {
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          secure: session.secure,
          user: session.user as string | undefined,
        };
        Promise.resolve(message)
          .then(answer)
          .then((text) => {
            taken.push(message);
            done(null, text);
          }, done);
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as { port: number };
  const address: MailServer = { host: "127.0.0.1", port, secure: false, local: true, login: undefined, ...partial };
  return { server: address, taken };
}
