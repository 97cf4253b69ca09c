import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENTS, connect } from "../support/mcp.ts";
import { newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const RULE = /data, not instructions/;

test("every tool and the server say that third-party text is data, and show invisible characters by code", async (t) => {
  const server = await startServer(t);
  const { id } = await newContact(server, { first_name: "A\u202Eda\u{E0041}", company: "Zero\u200Bwidth" });
  for (const client of CLIENTS) {
    const agent = await connect(t, client, server);
    const { tools } = await agent.listTools();
    for (const { name, ...tool } of tools)
      assert.match((tool as { description?: string }).description ?? "", RULE, name);
    const { structuredContent: structured, content } = await agent.callTool({ name: "get_contact", arguments: { id } });
    assert.equal(structured?.data.first_name, "A[U+202E]da[U+E0041]");
    assert.equal(structured?.data.company, "Zero[U+200B]width");
    assert.deepEqual(JSON.parse(content[0]?.text ?? ""), structured);
  }
});

test("metadata shows hidden characters too, in its names or under the name of copy", async (t) => {
  const server = await startServer(t);
  const { id } = await newContact(server);
  const note = {
    type: "note_added",
    body: "Said",
    metadata: { "k\u{E0041}ey": 1, copy: "x\u200By", in: [{ copy: "a\u202Eb", plain: null }] },
  };
  assert.equal((await server.rest("POST", `/contacts/${id}/activities`, { body: note })).status, 201);
  for (const client of CLIENTS) {
    const agent = await connect(t, client, server);
    const { structuredContent } = await agent.callTool({ name: "brain_contact", arguments: { id } });
    const metadata = structuredContent?.data.activities[0].metadata;
    assert.deepEqual(
      Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== "source" && name !== "api_key_id")),
      {
        "k[U+E0041]ey": 1,
        copy: "x[U+200B]y",
        in: [{ copy: "a[U+202E]b", plain: null }],
      },
    );
  }
});

test("claim and start give the recipient's profile exactly as it was approved", async (t) => {
  const agent = await withAgent(t);
  const profile = "https://socialnet.example/in/jo\u200Dse\u0301\u00AD-x";
  for (const client of CLIENTS) {
    const action = await agent.approved({
      contact: await agent.contact({ socialnet_url: profile, company: "A\u200BB" }),
    });
    const mcp = await connect(t, client, agent.server, agent.key);
    const command = async (fields: object) =>
      (await mcp.callTool({ name: "socialnet_command", arguments: { actionId: action.id, ...fields } }))
        .structuredContent?.data;
    const claimed = await command({ command: "claim" });
    const started = await command({ command: "start", leaseToken: claimed.leaseToken });
    for (const { recipient } of [claimed.action, started.action, started]) {
      assert.deepEqual([recipient.profileUrl, recipient.company], [action.contact.socialnet_url, "A[U+200B]B"]);
    }
  }
});
