import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { readPage } from "../docs/pages.ts";
import { ROOT } from "../support/program.ts";
import { startServer } from "../support/server.ts";

const run = promisify(execFile);
const PROMETHEUS = join(ROOT, "deploy/prometheus");
const DASHBOARD = readFileSync(join(ROOT, "deploy/grafana/rostrum.json"), "utf8");

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string };
}

const rules = () =>
  (parse(readFileSync(join(PROMETHEUS, "rules.yml"), "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    (group) => group.rules,
  );

/** What a server serves, of which a histogram has three names. */
async function metricsOf(t: TestContext): Promise<{ text: string; names: Set<string> }> {
  const server = await startServer(t, { env: { ROSTRUM_METRICS_PORT: "0" } });
  await server.rest("GET", "/contacts");
  const text = await (await fetch(server.running.metricsUrl as string)).text();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  return { text, names: new Set(names) };
}

const namesIn = (text: string) => new Set(text.match(/\brostrum_\w+/g));

test("Prometheus accepts the rules, and its unit tests of them pass", async () => {
  await run("promtool", ["check", "rules", "rules.yml"], { cwd: PROMETHEUS });
  await run("promtool", ["test", "rules", "rules.test.yml"], { cwd: PROMETHEUS });
});

test("Prometheus accepts the metrics of a server", async (t) => {
  const { text } = await metricsOf(t);
  // Names of the library for Node.js, which all its users have, break the rule that a gauge doesn't end in _total.
  const own = text.replaceAll(/^(?:# \w+ )?rostrum_nodejs_active_.*\n/gm, "");
  const checked = spawnSync("promtool", ["check", "metrics"], { input: own, encoding: "utf8" });
  assert.deepEqual([checked.status, checked.stdout, checked.stderr], [0, "", ""]);
});

test("every metric of the rules and of the dashboard is served, and the dashboard shows every metric of ours", async (t) => {
  const { names } = await metricsOf(t);
  const used = namesIn(
    rules()
      .map(({ expr }) => expr)
      .join("\n"),
  );
  assert.ok(used.size > 10);
  for (const name of used) assert.ok(names.has(name), `rules.yml: ${name}`);
  const shown = namesIn(DASHBOARD);
  for (const name of shown) assert.ok(names.has(name), `rostrum.json: ${name}`);
  const own = [...names].filter((name) => !/^rostrum_(process|nodejs)_|_(bucket|count|sum)$/.test(name));
  const missing = own.filter((name) => ![...shown].some((one) => one.startsWith(name)));
  assert.deepEqual(missing, []);
});

test("the docs say what to do about each alert", () => {
  const page = readPage("docs/monitoring.md");
  for (const { alert } of rules()) assert.match(page, new RegExp(`^\\| \`${alert}\` \\|`, "m"));
  const told = [...page.matchAll(/^\| `(Rostrum\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(
    told,
    rules().map(({ alert }) => alert),
  );
});
