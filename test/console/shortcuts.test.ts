import assert from "node:assert/strict";
import { test } from "node:test";
import { SHORTCUTS, type Shortcut } from "../../src/console/ui/shortcuts.ts";
import { newCard, newPost } from "../support/checklist.ts";
import { asMember } from "../support/http-browser.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { DOCUMENT_ITEM, POST_ITEM } from "../support/pinned.ts";
import { newContact, newSequence } from "../support/sequences.ts";
import { withAgent } from "../support/socialnet.ts";

const KEYED = /data-key="([^"]*)" data-key-label="([^"]*)"/g;

test("a key means one thing on every page, and approves nothing but what is in review", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const conversation = await newConversation(server);
  const answer = await newAnswer(server, conversation.id);
  const { id: action } = await agent.planned();
  const held = await agent.planned();
  await agent.person("request_action_change", { action_id: held.id, note: "Shorter." });
  const { id: sequence_id } = await newSequence(server);
  const contact_ids = [(await newContact(server)).id];
  const sequence = (await server.operator("approve_sequence", { sequence_id, contact_ids })).id;
  const card = await newCard(server, DOCUMENT_ITEM);
  const publish = await newPost(server, POST_ITEM);
  await server.operator("decide_post", { post_id: publish, decision: "approve" });
  const post = await newPost(server, POST_ITEM, { output_kind: "social_post", body: "Ready." });
  const browser = await asMember(server, { email: "o@b.example", name: "O", role: "admin", approve_outbound: true });
  const found = new Map<string, Set<string>>();
  const paths = {
    [`/review/answer/${answer.id}`]: "acde",
    [`/review/action/${action}`]: "acde",
    [`/review/action/${held.id}`]: "e",
    [`/review/sequence/${sequence}`]: "ade",
    [`/review/card/${card}`]: "acd",
    [`/review/post/${post}`]: "acd",
    [`/review/publish/${publish}`]: "p",
    [`/inbox/${(await newConversation(server)).id}`]: "rsx",
    "/contacts": "f",
  };
  for (const [path, expected] of Object.entries(paths)) {
    const { status, text } = await browser.open(`/console/w/${server.workspaceId}${path}`);
    assert.equal(status, 200, path);
    const keys = [...text.matchAll(KEYED)].map(([, key = "", label = ""]) => {
      found.set(key, (found.get(key) ?? new Set()).add(label));
      return key;
    });
    // Which neighbors there are depends on the place in the queue.
    assert.equal(
      keys
        .filter((key) => key !== "j" && key !== "k")
        .sort()
        .join(""),
      expected,
      path,
    );
  }
  for (const [key, labels] of found) {
    for (const label of labels) {
      const verbs: readonly string[] = SHORTCUTS[key as Shortcut] ?? [];
      assert.ok(
        verbs.some((verb) => label.startsWith(verb)),
        `${key} is “${label}”`,
      );
    }
  }
});
