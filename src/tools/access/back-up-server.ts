import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { RunningBackup, toRunningBackup } from "./server-schema.ts";

export const backUpServer = personOperation({
  name: "back_up_server",
  area: "server",
  title: "Back up the server",
  description:
    "Starts a backup of the SQLite database to the backups folder in the data folder. The newest 7 backups are kept " +
    "there. Only one backup runs at a time. Call get_server to see when it's done. Copy the backups to another machine.",
  access: { permission: "operate" },
  effect: "write",
  errors: ["backup_unavailable"],
  input: z.strictObject({}),
  output: RunningBackup,
  async handler(ctx) {
    const backup = ctx.server.startBackup(ctx.now);
    const after = toRunningBackup(backup);
    const isNew = backup.startedAt === ctx.now;
    if (isNew) await ctx.audit({ recordId: ctx.workspaceId, before: null, after });
    return { data: after, record: ctx.workspaceId };
  },
});
