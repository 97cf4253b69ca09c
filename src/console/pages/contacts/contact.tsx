/** @jsxRuntime automatic @jsxImportSource preact */
import { membersOf, nameOf } from "../../names.ts";
import { screen } from "../../screen.ts";
import { Known } from "./known.tsx";
import { Stage } from "./stage.tsx";
import { Timeline } from "./timeline.tsx";

export const contact = screen({
  path: "/contacts/:id",
  needs: "brain_contact",
  forms: [
    ...(["update_contact", "archive_contact", "add_contact_tags", "add_suppression", "log_activity"] as const),
    ...(["confirm_meeting", "confirm_bant", "confirm_company", "create_deal"] as const),
    ...(["enroll_contact", "stop_enrollment"] as const),
  ],
  async load(visit) {
    const [known, sequences, names] = await Promise.all([
      visit.call("brain_contact", { id: visit.params.id ?? "" }),
      visit.call("list_sequences", { limit: 100 }),
      membersOf(visit),
    ]);
    const open = sequences.data.filter(({ status }) => status !== "archived");
    return { known: known.data, sequences: open, names };
  },
  title: ({ known }) => nameOf(known.contact),
  view: ({ known, sequences, names }) => (
    <div class="sides">
      <div>
        <Stage known={known} sequences={sequences} />
        <Timeline known={known} names={names} />
      </div>
      <Known known={known} names={names} />
    </div>
  ),
});
