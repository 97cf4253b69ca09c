import { chmod, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { Mailer } from "./mailer.ts";
import { detailOf } from "./outcome.ts";

/** Writes messages down as `<send>.eml`, for a person to look at. One that is tried again replaces its file. */
export function createFileMailer(folder: string): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const prepare = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  };
  return {
    kind: "files",
    async send({ sendId, options }) {
      try {
        return { status: "written", file: await write(sendId, options) };
      } catch (error) {
        // A full disk, a folder that is gone: nothing is sent, and no other message would fare better.
        return { status: "transient", ours: true, detail: detailOf((error as Error).message) };
      }
    },
    verify: prepare,
    async close() {},
  };

  async function write(sendId: string, options: SendMailOptions): Promise<string> {
    const { message } = await composer.sendMail(options);
    await prepare();
    const file = join(folder, `${sendId}.eml`);
    // Under another name first: nobody ever reads half a message.
    const draft = await open(`${file}.part`, "w", 0o600);
    try {
      await draft.writeFile(message as Buffer);
    } finally {
      await draft.close();
    }
    await rename(`${file}.part`, file);
    return file;
  }
}
