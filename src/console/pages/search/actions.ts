import type { OperationName } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";

/** Something that a member can do, and where. */
export interface Action {
  name: string;
  /** Other words by which it is found. */
  words?: string;
  needs: OperationName;
  /** The page with its form. A fragment names the form, which the browser opens. */
  path: `/${string}`;
  /** In the palette: what is clicked on the open page instead. */
  press?: string;
  isShown?(ctx: PageContext): boolean;
}

export const ACTIONS: readonly Action[] = [
  { name: "Review proposals", words: "approve queue", needs: "approve_review", path: "/review" },
  { name: "Add contact", words: "new create person", needs: "create_contact", path: "/contacts#create_contact" },
  { name: "Add company", words: "new create account", needs: "create_account", path: "/accounts#create_account" },
  { name: "Add deal", words: "new create opportunity", needs: "create_deal", path: "/deals/new" },
  { name: "New sequence", words: "create write email", needs: "create_sequence", path: "/sequences/new" },
  {
    name: "Pause outreach",
    words: "stop sending",
    needs: "pause_outreach",
    path: "/search?q=pause+outreach",
    press: ".outreach .running button",
    isShown: ({ workspace }) => workspace.outreach.paused_at === null,
  },
  {
    name: "Resume outreach",
    words: "start sending",
    needs: "resume_outreach",
    path: "/search?q=resume+outreach",
    press: ".outreach .paused summary",
    isShown: ({ workspace }) => workspace.outreach.paused_at !== null,
  },
  { name: "Create API key", words: "keys agent connect token", needs: "create_key", path: "/settings/keys#create" },
  { name: "Invite teammate", words: "add member person", needs: "invite_member", path: "/settings#invite_member" },
  { name: "Add social account", words: "new agent", needs: "create_socialnet_account", path: "/agents/new" },
  { name: "Add webhook", words: "create endpoint events", needs: "create_webhook", path: "/events#create_webhook" },
  {
    name: "Change sending hours",
    words: "daily limit time zone",
    needs: "set_sending_policy",
    path: "/settings/workspace#set_sending_policy",
  },
  {
    name: "Set outcome of unconfirmed emails",
    words: "settle resolve sent",
    needs: "settle_sends",
    path: "/sequences/sends?status=unknown",
  },
  { name: "Edit brand voice", words: "guidelines tone", needs: "save_brand_voice", path: "/settings/brand" },
  { name: "Edit profile facts", words: "company", needs: "save_profile_facts", path: "/settings/profile" },
  { name: "Back up server", words: "backup copy database", needs: "back_up_server", path: "/settings/server" },
];
