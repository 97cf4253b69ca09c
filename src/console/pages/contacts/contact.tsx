/** @jsxRuntime automatic @jsxImportSource preact */
import { membersOf, nameOf } from "../../names.ts";
import { screen } from "../../screen.ts";
import { Known } from "./known.tsx";
import { Stage } from "./stage.tsx";
import { Timeline } from "./timeline.tsx";

/** The accounts that an action can be planned for from here; the page of any other leads to it too. */
const SENDERS = 100;

export const contact = screen({
  path: "/contacts/:id",
  needs: "brain_contact",
  forms: [
    ...(["update_contact", "archive_contact", "add_contact_tags", "add_suppression", "log_activity"] as const),
    ...(["confirm_meeting", "confirm_bant", "confirm_company", "create_deal"] as const),
    ...(["enroll_contact", "stop_enrollment", "release_enrollment"] as const),
  ],
  async load(visit) {
    const id = visit.params.id ?? "";
    const before = visit.query.get("before") ?? undefined;
    const [known, timeline, sequences, held, names, senders] = await Promise.all([
      visit.call("brain_contact", { id }),
      visit.call("list_activities", { contact_id: id, ...(before && { before }) }),
      visit.call("list_sequences", { limit: 100 }),
      visit.call("list_enrollments", { contact_id: id, held: true, limit: 100 }),
      membersOf(visit),
      visit.may("plan_socialnet_action") ? visit.call("list_socialnet_accounts", { limit: SENDERS }) : undefined,
    ]);
    const open = sequences.data.filter(({ status }) => status !== "archived");
    return {
      ...{ known: known.data, timeline: timeline.data, next: timeline.meta.next, sequences: open, names },
      holds: new Map(held.data.map((enrollment) => [enrollment.id, enrollment.held_detail])),
      senders: senders?.data ?? [],
    };
  },
  title: ({ known }) => nameOf(known.contact),
  view: ({ known, timeline, next, sequences, holds, names, senders }) => (
    <div class="sides">
      <div>
        <Stage known={known} sequences={sequences} holds={holds} senders={senders} />
        <Timeline known={known} entries={timeline} next={next} names={names} />
      </div>
      <Known known={known} names={names} />
    </div>
  ),
});
