import type { Core } from "../app.ts";
import { callAsOperator } from "../operator.ts";
import { PEOPLE } from "./people.ts";

/** Fills an empty workspace through the operations that everybody uses, so that it shows nothing they could not make. */
export async function fillDemo(core: Core, workspaceId: string): Promise<void> {
  const call = async (name: string, input: unknown): Promise<{ id: string }> => {
    const answer = await callAsOperator(core, name, workspaceId, input);
    if (answer.refusal !== undefined) throw answer.refusal;
    return (JSON.parse(answer.body) as { data: { id: string } }).data;
  };
  for (const { tags, ...person } of PEOPLE) {
    const { id } = await call("create_contact", person);
    if (tags.length > 0) await call("add_contact_tags", { id, tags });
  }
}
