import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { byDoor, signIn } from "../support/console.ts";
import { CLIENTS, connect, type ToolResult } from "../support/mcp.ts";
import { member } from "../support/member.ts";
import { FakeClock, startServer } from "../support/server.ts";

const CHECKLIST = ["social_checklist.read", "social_checklist.submit", "social_checklist.record"];

interface Entry {
  id: string;
  task: string;
  due_reason: string;
  change_request: { card_id: string; note: string } | null;
  agent: { can_record_evidence: boolean; accepts_output_kinds: string[] };
}

/** An agent that knows only the endpoint: it picks its tools from the list, and its work from their answers. */
for (const client of CLIENTS) {
  suite(client.label, () => {
    test("given only the endpoint, an agent completes its round, and responds to a requested change", async (t) => {
      const server = await startServer(t, { signIn, clock: new FakeClock() });
      const rep = member(server);
      const agent = await connect(t, client, server, await server.mint(CHECKLIST));
      const decide = (name: string, input: object) => byDoor(server, name, input, { as: rep });

      const { tools } = (await agent.listTools()) as unknown as { tools: { name: string; description: string }[] };
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          ...["list_checklist_items", "list_due_checklist_items", "get_checklist_item_context"],
          ...["submit_checklist_output", "record_checklist_evidence"],
        ],
      );
      for (const { description } of tools) assert.match(description, /You propose, people decide\./);
      const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
        agent.callTool({ name, arguments: args });
      const ask = async (name: string, args: Record<string, unknown> = {}): Promise<any> => {
        const result = await call(name, args);
        assert.ok(!result.isError, JSON.stringify(result.structuredContent));
        return result.structuredContent?.data;
      };
      const due = async (): Promise<Entry[]> => ask("list_due_checklist_items", { limit: 100 });
      const accepting = (entries: Entry[], kind: string) =>
        entries.find(({ agent: { accepts_output_kinds: kinds } }) => kinds.includes(kind)) as Entry;

      // Read what is due, and the material for it. Pending reviews are left to people.
      for (const { id } of (await due()).filter(({ agent: { accepts_output_kinds, can_record_evidence } }) => {
        return accepts_output_kinds.length === 0 && !can_record_evidence;
      })) {
        await decide("mark_checklist_item", { item_id: id, status: "done", evidence: "By hand." });
      }
      const work = await due();
      const context = await ask("get_checklist_item_context", { id: accepting(work, "social_post").id });
      assert.equal(context.item.task, accepting(work, "social_post").task);
      assert.deepEqual([context.brand_voice, context.profile_facts, context.recent_posts], [null, [], []]);

      // Submit a post to the review queue.
      const post = await ask("submit_checklist_output", {
        id: accepting(work, "social_post").id,
        output_kind: "social_post",
        body: "Three things that a Monday roster taught us.",
      });
      assert.equal(post.status, "needs_review");

      // Submit a document as a card; while it is pending nothing more is accepted, and the item is not due.
      const paper = accepting(work, "document");
      const document = { id: paper.id, output_kind: "document", title: "A plan", body: "First draft." };
      const first = await ask("submit_checklist_output", document);
      assert.equal(first.status, "pending");
      const early = await call("submit_checklist_output", document);
      assert.deepEqual([early.isError, early.structuredContent?.code], [true, "card_waiting"]);
      assert.ok(!(await due()).some(({ id }) => id === paper.id));

      // A person requests a change: it comes first, with the note, and the redo answers it.
      const note = "Name the owner.";
      await decide("decide_card", { card_id: first.card_id, decision: "request_change", note });
      const [asked] = (await due()) as [Entry];
      assert.deepEqual([asked.id, asked.due_reason], [paper.id, "change_requested"]);
      assert.deepEqual([asked.change_request?.card_id, asked.change_request?.note], [first.card_id, note]);
      const redo = await ask("submit_checklist_output", { ...document, body: "Second draft. Ada owns it." });
      assert.equal(redo.redo_of, first.card_id);
      const approved = await decide("decide_card", { card_id: redo.card_id, decision: "approve" });
      assert.equal(approved.body.data.status, "approved");

      // Record evidence of what it saw.
      const seen = (await due()).find(({ agent: { can_record_evidence } }) => can_record_evidence) as Entry;
      const evidence = await ask("record_checklist_evidence", {
        id: seen.id,
        status: "done",
        evidence: "Checked on the profile page.",
      });
      assert.deepEqual([evidence.status, evidence.status_source], ["done", "agent"]);
      const left = (await due()).map(({ id }) => id);
      assert.ok(!left.includes(seen.id) && !left.includes(paper.id));

      // Nothing was published, and people find everything in review.
      const [waiting] = await server.operator("list_posts", { status: "needs_review" });
      assert.deepEqual([waiting.id, waiting.scheduled_for, waiting.ended_at], [post.post_id, null, null]);
      assert.equal((await server.operator("list_posts", {})).length, 1);
      assert.equal((await server.operator("list_cards", {})).length, 2);
    });
  });
}
