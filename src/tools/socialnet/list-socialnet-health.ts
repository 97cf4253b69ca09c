import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { requireAccount } from "../../services/socialnet/accounts.ts";
import { recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { healthObservation } from "./commands/health-observation.ts";

export const listSocialnetHealth = personOperation({
  name: "list_socialnet_health",
  area: "socialnet",
  title: "List account health",
  description:
    "Lists the measurements that agents reported for an account, newest first. Each covers the invitations sent in " +
    "one period: how many were sent, accepted and withdrawn, with the evidence.",
  access: { permission: "view" },
  effect: "read",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({ account_id: recordId("social account"), ...pageFields }),
  output: z.array(healthObservation.answers),
  meta: ListMeta,
  async handler(ctx, { account_id: id, ...page }) {
    await requireAccount(ctx, id);
    const { socialnetReports } = ctx.store;
    const told = await socialnetReports.health(id, page.limit, page.offset);
    const meta = listMeta(page, told.length, await socialnetReports.countHealth(id));
    return { data: told.map((text) => JSON.parse(text)), meta };
  },
});
