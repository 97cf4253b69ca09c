import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ImapFlow } from "imapflow";
import type { MailServer } from "../../src/lib/mail-server.ts";
import { certificateFor } from "../http-client/certificate.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

const DOVECOT = process.env.DOVECOT ?? "/usr/sbin/dovecot";
const USER = "sales";
const PASSWORD = "correct_horse";
/** Dovecot serves no mail as root, so its processes run as Debian's `nobody`. */
const ROOT = process.getuid?.() === 0;
const [UID, GID] = ROOT ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];

function configuration(folder: string, port: number): string {
  const [user, group] = ["-un", "-gn"].map((flag) =>
    execFileSync("id", ROOT ? [flag, "nobody"] : [flag], { encoding: "utf8" }).trim(),
  );
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
mail_location = maildir:${folder}/mail
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${UID} gid=${GID} home=${folder}
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  # No waits after failed logins.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;
}

/** A real, unprivileged IMAP server from Debian (dovecot-imapd), on loopback, with one mailbox. */
export class Dovecot {
  readonly server: MailServer;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  static async start(t: Pick<TestContext, "after">): Promise<Dovecot> {
    const folder = mkdtempSync(join(tmpdir(), "rostrum-imap-"));
    const dovecot = new Dovecot(folder, await freePort());
    t.after(async () => {
      await dovecot.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const { cert, key } = certificateFor(["127.0.0.1"]);
    writeFileSync(join(folder, "cert.pem"), cert);
    writeFileSync(join(folder, "key.pem"), key);
    writeFileSync(join(folder, "dovecot.conf"), configuration(folder, dovecot.server.port));
    for (const part of ["run", "state", "mail"]) mkdirSync(join(folder, part));
    chmodSync(folder, 0o755);
    for (const part of ["", "run", "state", "mail", "cert.pem", "key.pem"]) chownSync(join(folder, part), UID, GID);
    await dovecot.run();
    return dovecot;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    const login = { user: USER, pass: PASSWORD };
    this.server = { host: "127.0.0.1", port, secure: false, local: true, login };
  }

  async run(): Promise<void> {
    const args = ["-F", "-c", join(this.#folder, "dovecot.conf")];
    this.#process = spawn(DOVECOT, args, { stdio: "inherit", uid: UID, gid: GID, detached: true });
    const failed = once(this.#process, "error").then(([error]) => {
      throw new Error("These tests need Dovecot: apt-get install dovecot-imapd", { cause: error });
    });
    const answers = until(async () => {
      const socket = connect(this.server.port, "127.0.0.1");
      try {
        await once(socket, "data");
        return true;
      } catch {
        return false;
      } finally {
        socket.destroy();
      }
    });
    await Promise.race([answers, failed]);
  }

  async stop(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server?.exitCode !== null || server.pid === undefined) return;
    const ended = once(server, "exit");
    // Includes the children that serve a connection, which would otherwise outlive the server for a while.
    process.kill(-server.pid, "SIGTERM");
    await ended;
  }

  /** Another mail program, with full access. */
  async as<T>(act: (client: ImapFlow) => Promise<T>): Promise<T> {
    const { host, port, login } = this.server;
    const client = new ImapFlow({
      host,
      port,
      secure: false,
      logger: false,
      tls: { rejectUnauthorized: false },
      ...(login && { auth: login }),
    });
    await client.connect();
    try {
      await client.mailboxOpen("INBOX");
      return await act(client);
    } finally {
      await client.logout();
    }
  }

  async deliver(...sources: string[]): Promise<void> {
    await this.as(async (client) => {
      for (const source of sources) await client.append("INBOX", source.replaceAll(/\r?\n/g, "\r\n"));
    });
  }

  /** Deletes and recreates the mailbox: all its messages get new UIDs, under another UIDVALIDITY. */
  async makeAnew(): Promise<void> {
    await this.stop();
    for (const part of ["dovecot-uidlist", "dovecot.index", "dovecot.index.log", "dovecot.index.cache"]) {
      rmSync(join(this.#folder, "mail", part), { force: true });
    }
    await this.run();
  }
}
