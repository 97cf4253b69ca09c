import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse, stringify } from "yaml";
import { readPage } from "../docs/pages.ts";
import { freePort } from "../support/free-port.ts";
import { ROOT } from "../support/program.ts";
import { startServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

/** What Prometheus makes of a server's metrics: it adds labels of its own, which unit tests of rules don't show. */

interface Rule {
  alert: string;
  expr: string;
  for?: string;
}

/** A Prometheus with the scrape configuration of the docs, which scrapes each second. */
async function startPrometheus(t: TestContext, target: string, rules: Rule[]) {
  const folder = temporaryFolder(t);
  const [, example = ""] = /```yaml\n(scrape_configs:\n[\s\S]*?)```/.exec(readPage("docs/monitoring.md")) ?? [];
  const config = parse(example) as { scrape_configs: { static_configs: { targets: string[] }[] }[] };
  const [first] = config.scrape_configs[0]?.static_configs ?? [];
  assert.ok(first, "the docs have a scrape configuration");
  first.targets = [target];
  const global = { scrape_interval: "1s", evaluation_interval: "1s" };
  writeFileSync(join(folder, "prometheus.yml"), stringify({ global, rule_files: ["rules.yml"], ...config }));
  writeFileSync(join(folder, "rules.yml"), stringify({ groups: [{ name: "rostrum", rules }] }));
  const address = `127.0.0.1:${await freePort()}`;
  const args = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", `--web.listen-address=${address}`];
  const child = spawn("prometheus", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.once("close", resolve));
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const get = async (path: string) => (await (await fetch(`http://${address}/api/v1/${path}`)).json()).data;
  const series = async (query: string): Promise<Record<string, string>[]> =>
    (await get(`query?query=${encodeURIComponent(query)}`)).result.map(({ metric }: { metric: object }) => metric);
  const isUp = () =>
    series(`up == 1`).then(
      (found) => found.length > 0,
      () => false,
    );
  await until(isUp, 30_000).catch(() => assert.fail(said));
  return { get, series };
}

test("a scrape keeps every label, and an alert names the background job that is down", {
  timeout: 60_000,
}, async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_METRICS_PORT: "0" } });
  const file = readFileSync(join(ROOT, "deploy/prometheus/rules.yml"), "utf8");
  const { groups } = parse(file) as { groups: { rules: Rule[] }[] };
  const rule = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === "RostrumJobDown");
  assert.equal(rule?.expr, "rostrum_job_up == 0");
  // Every job of this server works: the alert is turned around, so that it fires for each.
  const { for: _, ...turned } = { ...rule, expr: rule.expr.replace("== 0", "== 1") };
  const { get, series } = await startPrometheus(t, new URL(server.running.metricsUrl as string).host, [turned]);

  const renamed = (await series('{__name__=~"rostrum_.+"}')).filter((labels) =>
    Object.keys(labels).some((label) => label.startsWith("exported_")),
  );
  assert.deepEqual(renamed, [], "Prometheus renames labels that it sets itself");
  const [selector = ""] = /rostrum_job_up\{[^}]*\}/.exec(readPage("docs/monitoring.md")) ?? [];
  await until(async () => (await series(selector)).length === 1, 20_000);

  const summaries = async (): Promise<string[]> =>
    (await get("alerts")).alerts.map(({ annotations }: { annotations: { summary: string } }) => annotations.summary);
  await until(async () => (await summaries()).length > 0, 20_000);
  assert.ok((await summaries()).includes("The background job deliver_events fails or is late. The log says why."));
});
