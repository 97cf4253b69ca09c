import assert from "node:assert/strict";
import { test } from "node:test";
import { EmailLink, PhoneLink, UrlLink } from "../../src/console/ui/links.tsx";
import { asOwner } from "../support/http-browser.ts";
import { newReply } from "../support/inbox.ts";
import { newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

/** The address of the link, if it is one. */
const hrefOf = (node: any): string | undefined => {
  const linked = node.type(node.props);
  return linked?.type === "a" ? linked.props.href : undefined;
};
const url = (text: string) => hrefOf(UrlLink({ text }));
const email = (text: string) => hrefOf(EmailLink({ text }));
const phone = (text: string) => hrefOf(PhoneLink({ text }));

test("only addresses of the web, emails and phone numbers are links, exactly as they read", () => {
  assert.equal(url("https://socialnet.example/in/ada"), "https://socialnet.example/in/ada");
  assert.equal(url("HTTP://x.example"), "HTTP://x.example");
  for (const text of [
    "javascript:alert(1)",
    " https://x.example",
    "data:text/html,x",
    "socialnet.example/in/ada",
    "https://",
  ])
    assert.equal(url(text), undefined, text);
  assert.equal(url("https://x.example/\u202Egnp"), undefined, "hidden characters");
  assert.equal(email("ada@b.example"), "mailto:ada@b.example");
  assert.equal(email("a?cc=b&x@b.example"), "mailto:a%3Fcc%3Db%26x@b.example", "no fields of the message");
  assert.equal(email("not an address"), undefined);
  assert.equal(phone("+44 (20) 7946-0289"), "tel:+442079460289");
  assert.equal(phone("ask for Ada"), undefined);
});

test("a contact's and a conversation's page link the email, the phone and the profile", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const contact = await newContact(server, {
    phone: "+351 21 000 0000",
    socialnet_url: "https://socialnet.example/in/ada",
  });
  await newReply(server, contact);
  for (const path of [`contacts/${contact.id}`, `inbox/${contact.id}`]) {
    const { text } = await owner.get(`/console/w/${server.workspaceId}/${path}`);
    const links = [`mailto:${contact.email}`, "tel:+351210000000", "https://socialnet.example/in/ada"];
    for (const to of links) assert.ok(text.includes(`<a href="${to}" rel="noopener noreferrer">`), `${path} ${to}`);
  }
});
