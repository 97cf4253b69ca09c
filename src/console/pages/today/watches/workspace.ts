import type { Watch } from "../watch.ts";

export const WORKSPACE_WATCHES: readonly Watch[] = [
  {
    block: "needs_you",
    needs: "get_workspace",
    async find({ workspace }) {
      const reason = workspace.billing.read_only_reason;
      if (reason === null) return [];
      return [
        { say: `The workspace is read-only: ${reason}.`, tone: "stopped", word: "Stopped", to: "/settings/workspace" },
      ];
    },
  },
  {
    block: "needs_you",
    needs: "get_workspace",
    async find({ workspace: { plan, usage } }) {
      const allowed = plan.contact_allowance;
      if (allowed === null || usage.contacts < allowed) return [];
      return [
        {
          say: "The plan's contact allowance is used up.",
          tone: "stopped",
          word: "Stopped",
          to: "/settings/workspace",
        },
      ];
    },
  },
];
