import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { calendarAt } from "../../domain/time/calendar.ts";
import { iso } from "../../lib/time.ts";
import { Pause, toPause } from "../outreach/pause-schema.ts";
import {
  Deployment,
  OwnProposals,
  Plan,
  SendingPolicy,
  toBilling,
  toDeployment,
  toPlan,
  toPolicy,
  WorkspaceBilling,
} from "./workspace-schema.ts";

export const getWorkspace = personOperation({
  name: "get_workspace",
  area: "workspaces",
  title: "Get the workspace",
  description:
    "Reads the workspace: plan, usage, billing, outreach pause, sending policy, and what this server can send.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    id: z.uuid(),
    name: z.string(),
    created_at: z.iso.datetime(),
    plan: Plan,
    usage: z.object({
      contacts: z.int().describe("Contacts that aren't archived. They count toward the plan's contact limit."),
      socialnet_actions: z
        .int()
        .describe(
          "Actions started this month, in the workspace's time zone. They count toward the plan's action limit.",
        ),
    }),
    billing: WorkspaceBilling,
    outreach: Pause,
    sending_policy: SendingPolicy,
    own_proposals: OwnProposals,
    deployment: Deployment,
  }),
  async handler(ctx) {
    const { workspace, contacts, socialnetActions } = ctx.store;
    const { id, name, createdAt } = await workspace.find();
    const policy = await workspace.sendingPolicy();
    const { monthStart } = calendarAt(ctx.now, policy.timeZone);
    return {
      data: {
        id,
        name,
        created_at: iso(createdAt),
        plan: toPlan(await workspace.plan()),
        usage: {
          contacts: await contacts.count(),
          socialnet_actions: await socialnetActions.allStartsSince(monthStart),
        },
        billing: toBilling(await workspace.billing(), ctx.now),
        outreach: toPause(await workspace.pause()),
        sending_policy: toPolicy(policy),
        own_proposals: await workspace.ownProposals(),
        deployment: await toDeployment(ctx),
      },
    };
  },
});
