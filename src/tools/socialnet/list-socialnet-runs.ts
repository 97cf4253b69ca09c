import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { requireAccount } from "../../services/socialnet/accounts.ts";
import { recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { runReport } from "./commands/run-report.ts";

export const listSocialnetRuns = personOperation({
  name: "list_socialnet_runs",
  area: "socialnet",
  title: "List agent runs",
  description: "Lists the runs that an account's agents reported, newest first.",
  access: { permission: "view" },
  effect: "read",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({ account_id: recordId("social account"), ...pageFields }),
  output: z.array(runReport.answers),
  meta: ListMeta,
  async handler(ctx, { account_id: id, ...page }) {
    await requireAccount(ctx, id);
    const { socialnetReports } = ctx.store;
    const told = await socialnetReports.runs(id, page.limit, page.offset);
    const meta = listMeta(page, told.length, await socialnetReports.countRuns(id));
    return { data: told.map((text) => JSON.parse(text)), meta };
  },
});
