import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { MailSettings, showMailSettings } from "./mail-schema.ts";

export const getMailSettings = personOperation({
  name: "get_mail_settings",
  area: "server",
  title: "Get the mail settings",
  description:
    "Reads how this server sends and reads email, for all its workspaces, and the result of the last test message. " +
    "Passwords are never shown.",
  access: { permission: "operate" },
  effect: "read",
  input: z.strictObject({}),
  output: MailSettings,
  async handler(ctx) {
    return { data: await showMailSettings(ctx) };
  },
});
