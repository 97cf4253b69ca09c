import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Pause, toPause } from "../outreach/pause-schema.ts";
import { Deployment, OwnProposals, toDeployment } from "./workspace-schema.ts";

export const getWorkspaceStatus = personOperation({
  name: "get_workspace_status",
  area: "workspaces",
  title: "Get the workspace status",
  description:
    "Reads what every console page shows, such as the workspace's name, whether outreach is paused, what this " +
    "server can send, and how many records need review. For plan, usage, billing and sending policy, call " +
    "get_workspace.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    id: z.uuid(),
    name: z.string(),
    outreach: Pause,
    deployment: Deployment,
    unsent: z
      .object({
        saved_to_files: z.int().describe("Those whose emails are saved to files."),
        waiting: z.int().describe("Those whose emails wait for a mail server."),
      })
      .describe("Active sequences with emails that are not sent."),
    time_zone: z.string().describe("The workspace's time zone."),
    sender_name: z.string().nullable().describe("The value of {{sender_name}} in steps."),
    own_proposals: OwnProposals,
    needs_review: z.int().min(0).describe("How many records are in the review queue."),
    open_conversations: z
      .array(
        z.object({
          assignee_id: z.string().nullable().describe("The teammate who handles them. Null: they are unassigned."),
          count: z.int().min(0),
        }),
      )
      .describe("How many conversations of the Inbox need an answer, except snoozed ones."),
  }),
  async handler(ctx) {
    const { store } = ctx;
    const { id, name } = await store.workspace.find();
    const { senderName, timeZone } = await store.workspace.sendingPolicy();
    const deployment = await toDeployment(ctx);
    const emailing = await store.sequences.emailing();
    const counts = await store.reviewQueue.counts();
    const open = await store.conversations.openCounts(ctx.now);
    return {
      data: {
        id,
        name,
        outreach: toPause(await store.workspace.pause()),
        deployment,
        unsent: { saved_to_files: emailing.files, waiting: deployment.email === "none" ? emailing.send : 0 },
        time_zone: timeZone,
        sender_name: senderName,
        own_proposals: await store.workspace.ownProposals(),
        needs_review: Object.values(counts).reduce((sum, count) => sum + count, 0),
        open_conversations: open.map(({ assigneeId, count }) => ({ assignee_id: assigneeId, count })),
      },
    };
  },
});
