import assert from "node:assert/strict";
import { test } from "node:test";
import { inspectSendingDomain } from "../../src/mail/sending-domain.ts";

/** A name server with these records. Names without one do not exist. */
function nameServer(txt: Record<string, string[]>, mx: Record<string, string[]> = {}) {
  const missing = (name: string) => Object.assign(new Error(`queryTxt ENOTFOUND ${name}`), { code: "ENOTFOUND" });
  return {
    async resolveTxt(name: string) {
      const records = txt[name];
      if (records === undefined) throw missing(name);
      // Name servers split a long text into parts of 255 bytes.
      return records.map((text) => text.match(/.{1,255}/gs) ?? []);
    },
    async resolveMx(name: string) {
      const servers = mx[name];
      if (servers === undefined) throw missing(name);
      return servers.map((exchange) => ({ exchange, priority: 10 }));
    },
  };
}

const KEY = `v=DKIM1; k=rsa; p=${"A".repeat(390)}`;
const WELL = {
  "mail.acme.example": ["site-verification=1", "v=spf1 include:_spf.example ~all"],
  "selector1._domainkey.mail.acme.example": [KEY],
  "_dmarc.acme.example": ["v=DMARC1; p=none"],
};
const MX = { "mail.acme.example": ["mx1.example"] };

async function faults(txt: Record<string, string[]>, mx: Record<string, string[]> = MX, selector?: string) {
  const found = await inspectSendingDomain("mail.acme.example", { dns: nameServer(txt, mx), selector });
  assert.deepEqual(
    found.map(({ record }) => record),
    ["spf", "dkim", "dmarc", "mx"],
  );
  for (const { ok, fix } of found) assert.equal(fix === null, ok);
  return found.flatMap(({ record, ok, detail }) => (ok ? [] : [`${record}: ${detail}`]));
}

test("a domain with SPF, a DKIM key, DMARC of its parent, and MX has nothing to fix", async () => {
  assert.deepEqual(await faults(WELL), []);
});

test("each record that is missing or wrong is named", async () => {
  const domain = "mail.acme.example";
  const spf = (...texts: string[]) => ({ ...WELL, [domain]: texts });
  for (const [txt, mx, expected] of [
    [spf("other"), MX, `spf: ${domain} has no SPF record`],
    [spf("v=spf10 ~all"), MX, `spf: ${domain} has no SPF record`],
    [spf("v=spf1 a -all", "v=spf1 mx -all"), MX, `spf: ${domain} has 2 SPF records`],
    [spf("v=spf1 +all"), MX, `spf: ${domain} lets every server send: v=spf1 +all`],
    [spf("v=spf1 mx all"), MX, `spf: ${domain} lets every server send: v=spf1 mx all`],
    [
      { ...WELL, [`selector1._domainkey.${domain}`]: ["v=DKIM1; p="] },
      MX,
      `dkim: ${domain} has no DKIM key under a common selector`,
    ],
    [{ ...WELL, "_dmarc.acme.example": ["v=spf1 -all"] }, MX, `dmarc: ${domain} has no DMARC record`],
    [WELL, { [domain]: [""] }, `mx: ${domain} has no MX record, so replies and bounces don't arrive`],
    [WELL, {}, `mx: ${domain} has no MX record, so replies and bounces don't arrive`],
  ] as [Record<string, string[]>, Record<string, string[]>, string][]) {
    assert.deepEqual(await faults(txt, mx), [expected]);
  }
});

test("with a selector given, only that one counts", async () => {
  assert.deepEqual(await faults({ ...WELL, "ours._domainkey.mail.acme.example": [KEY] }, MX, "ours"), []);
  assert.deepEqual(await faults(WELL, MX, "ours"), ["dkim: mail.acme.example has no DKIM key under the selector ours"]);
});

test("a name server that does not answer is no missing record", async () => {
  const silent = async () => Promise.reject(Object.assign(new Error("queryTxt ETIMEOUT"), { code: "ETIMEOUT" }));
  const dns = { resolveTxt: silent, resolveMx: silent };
  await assert.rejects(inspectSendingDomain("acme.example", { dns }), { code: "ETIMEOUT" });
});
