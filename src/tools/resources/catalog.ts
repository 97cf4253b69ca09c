import type { Context } from "../../core/context.ts";
import type { Scope } from "../../domain/access/roles.ts";
import { ITEM_KINDS } from "../../domain/checklist/item.ts";
import { AGENT_INSTRUCTIONS } from "../../services/socialnet/instructions.ts";
import { referenceOf } from "../socialnet/commands/reference.ts";
import { AGENT_COMMANDS } from "../socialnet/socialnet-command.ts";

interface Resource {
  uri: `rostrum://${string}`;
  name: string;
  title: string;
  description: string;
  /** Who may read it: a key with one of these. */
  scopes: readonly Scope[];
  read(ctx: Context): Promise<string>;
}

/** The texts that agents read over MCP, all in Markdown. */
export const RESOURCES: readonly Resource[] = [
  {
    uri: "rostrum://agent-instructions",
    name: "agent-instructions",
    title: "Instructions for the agent of a social account",
    description: "How the agent of a social account works, step by step. The command setup returns the same text.",
    scopes: ["socialnet.read", "socialnet.execute"],
    read: async () => AGENT_INSTRUCTIONS.text,
  },
  {
    uri: "rostrum://socialnet-commands",
    name: "socialnet-commands",
    title: "Commands of socialnet_command",
    description: "What each command takes and returns, and what to do next.",
    scopes: ["socialnet.execute"],
    read: async () => referenceOf(AGENT_COMMANDS),
  },
  {
    uri: "rostrum://brand-voice",
    name: "brand-voice",
    title: "Brand voice",
    description: "How this team writes. Read it before you draft.",
    scopes: ["social_checklist.read"],
    read: async ({ store }) => (await store.voice.brandVoice())?.text ?? "No brand voice is saved yet.",
  },
  {
    uri: "rostrum://profile-facts",
    name: "profile-facts",
    title: "Profile facts",
    description: "What drafts may claim about this team. Claim nothing else.",
    scopes: ["social_checklist.read"],
    async read({ store }) {
      const { facts } = (await store.voice.profileFacts()) ?? { facts: [] };
      return facts.length === 0 ? "No profile facts are saved yet." : listed(facts);
    },
  },
  {
    uri: "rostrum://checklist-catalog",
    name: "checklist-catalog",
    title: "Social checklist catalog",
    description:
      "Every item of the social checklist, one per line. get_checklist_item_context returns an item in full.",
    scopes: ["social_checklist.read"],
    async read({ catalog }) {
      const sections = ITEM_KINDS.map((kind) => {
        const items = catalog.items.filter((item) => item.kind === kind);
        return `# ${kind}\n\n${listed(items.map(({ id, task }) => `${id}: ${task}`))}`;
      });
      return sections.join("\n\n");
    },
  },
];

const listed = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join("\n");
