import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";

export const countAudience = personOperation({
  name: "count_audience",
  area: "sequences",
  title: "Count an audience",
  description:
    "Counts the contacts of an approval's audience: how many are or were enrolled in the sequence, and how many " +
    "enroll_audience can still enroll.",
  access: { permission: "view" },
  effect: "read",
  errors: ["approval_not_found"],
  input: z.strictObject({ approval_id: recordId("approval") }),
  output: z.object({
    approval_id: z.uuid(),
    contacts: z.int(),
    enrolled: z.int().describe("Contacts that are or were enrolled in the sequence."),
    left: z
      .int()
      .describe(
        "Contacts that can still be enrolled: not archived, not on the do-not-contact list, with a confirmed company or the one that the approval shows.",
      ),
  }),
  async handler({ store }, { approval_id: id }) {
    const approval = await store.approvals.find(id);
    if (approval === undefined) throw problem("approval_not_found");
    const contacts = approval.contactCount;
    const enrolled = await store.approvals.countEnrolled(id);
    const left = enrolled >= contacts ? 0 : await store.approvals.countUnenrolled(id);
    return { data: { approval_id: id, contacts, enrolled, left } };
  },
});
