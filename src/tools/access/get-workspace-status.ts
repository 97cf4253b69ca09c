import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Pause, toPause } from "../outreach/pause-schema.ts";
import { Deployment } from "./workspace-schema.ts";

export const getWorkspaceStatus = personOperation({
  name: "get_workspace_status",
  area: "workspaces",
  title: "Get the workspace's status",
  description:
    "Reads what every page of the console shows: the workspace's name, whether outreach is paused, what the server " +
    "sends at all, and how many records need review. Plan, usage, billing and sending policy: get_workspace.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    id: z.uuid(),
    name: z.string(),
    outreach: Pause,
    deployment: Deployment,
    sender_name: z.string().nullable().describe("What steps put for {{sender_name}}."),
    needs_review: z.int().min(0).describe("How many records are in the review queue."),
  }),
  async handler({ store, deployment }) {
    const { id, name } = await store.workspace.find();
    const { senderName } = await store.workspace.sendingPolicy();
    const counts = await store.reviewQueue.counts();
    return {
      data: {
        id,
        name,
        outreach: toPause(await store.workspace.pause()),
        deployment: { outbound_gate: deployment.outboundGate, socialnet_execution: deployment.socialnetExecution },
        sender_name: senderName,
        needs_review: Object.values(counts).reduce((sum, count) => sum + count, 0),
      },
    };
  },
});
