import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { entryOf, packageFolder } from "../../scripts/on-demand.ts";
import { readConfig, SETTINGS, unknownVariables } from "../../src/config.ts";
import { until } from "../cli/process.ts";
import { programArgs, ROOT } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const DEPLOY = join(ROOT, "deploy");
const COMPOSE = join(DEPLOY, "compose");
/** What a stop may take after the drain, as docs/operating.md says. */
const AFTER_DRAIN_SECONDS = 8;

const OURS = new Set(Object.values(SETTINGS).map(({ env }) => env as string));

/** Every variable is a setting, and the server takes its value. @returns the drain in seconds */
function drainOf(variables: Record<string, string>, where: string): number {
  const ours = Object.entries(variables).filter(([name]) => !["NODE_ENV"].includes(name));
  assert.deepEqual(unknownVariables(variables), [], where);
  for (const [name] of ours) {
    assert.ok(OURS.has(name) || (name.endsWith("_FILE") && OURS.has(name.slice(0, -5))), `${where}: ${name}`);
  }
  const given = ours.filter(([name]) => !name.endsWith("_FILE"));
  return readConfig({}, Object.fromEntries(given)).drainSeconds;
}

const secondsOf = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);

interface Service {
  image: string;
  stop_grace_period: string;
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  read_only?: boolean;
  healthcheck?: object;
}

interface Compose {
  services: Record<string, Service>;
  secrets?: Record<string, { file: string }>;
  volumes?: Record<string, unknown>;
}

const composeFiles = readdirSync(COMPOSE).filter((name) => name.endsWith(".yaml"));

/** Faults by the schema of the Compose specification. */
async function schemaFaults(file: string): Promise<string[]> {
  const linted = run(process.execPath, [entryOf("dclint"), "-f", "json", file]);
  const { stdout } = await linted.catch((error: { stdout: string }) => error);
  const reports = JSON.parse(stdout) as { messages: { rule: string; message: string }[] }[];
  return reports.flatMap(({ messages }) =>
    messages.filter(({ rule }) => /^invalid-/.test(rule)).map((one) => one.message),
  );
}

test("every compose file follows the specification's schema, and a copy with a fault does not", async (t) => {
  assert.equal(composeFiles.length, 3);
  for (const name of composeFiles) assert.deepEqual(await schemaFaults(join(COMPOSE, name)), [], name);
  const broken = join(temporaryFolder(t), "broken.yaml");
  writeFileSync(broken, "services:\n  rostrum:\n    image: rostrum:latest\n    ports: 8787\n");
  assert.notDeepEqual(await schemaFaults(broken), []);
});

test("compose files name only settings, volumes, secrets and services that exist, and stop later than the server", () => {
  for (const name of composeFiles) {
    const text = readFileSync(join(COMPOSE, name), "utf8").replaceAll(/\$\{DOMAIN(:\?[^}]*)?\}/g, "rostrum.example");
    const { services, secrets = {}, volumes = {} } = parse(text, { merge: true }) as Compose;
    for (const [service, declared] of Object.entries(services)) {
      const where = `${name}, ${service}`;
      for (const secret of declared.secrets ?? []) assert.ok(secret in secrets, `${where}: ${secret}`);
      for (const volume of declared.volumes ?? []) {
        const [source = ""] = volume.split(":");
        assert.ok(
          source.startsWith("./") ? existsSync(join(COMPOSE, source)) : source in volumes,
          `${where}: ${volume}`,
        );
      }
      for (const [other, { condition }] of Object.entries(declared.depends_on ?? {})) {
        const healthy = services[other]?.healthcheck !== undefined || services[other]?.image === "rostrum:latest";
        assert.ok(condition === "service_healthy" && healthy, `${where}: ${other}`);
      }
      if (declared.image !== "rostrum:latest") continue;
      assert.equal(declared.read_only, true, where);
      const drain = drainOf(declared.environment ?? {}, where);
      assert.ok(secondsOf(declared.stop_grace_period) >= drain + AFTER_DRAIN_SECONDS, where);
      for (const [variable, path] of Object.entries(declared.environment ?? {})) {
        if (variable.endsWith("_FILE"))
          assert.ok(declared.secrets?.includes(path.replace("/run/secrets/", "")), variable);
      }
    }
  }
});

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: any;
}

const manifests = () =>
  parseAllDocuments(readFileSync(join(DEPLOY, "kubernetes.yaml"), "utf8")).map((one) => one.toJS() as Manifest);

test("the Kubernetes manifest follows the schemas of its kinds, and a copy with a fault does not", async () => {
  const models = packageFolder("kubernetes-models");
  const validate = async (manifest: Manifest) => {
    const module = await import(join(models, manifest.apiVersion, `${manifest.kind}.js`));
    new module[manifest.kind](manifest).validate();
  };
  const all = manifests();
  for (const manifest of all) await validate(manifest);
  const deployment = all.find(({ kind }) => kind === "Deployment") as Manifest;
  await assert.rejects(validate({ ...deployment, spec: { ...deployment.spec, replicas: "two" } }), /replicas/);
});

test("the Kubernetes manifest fits the server: settings, ports, probes, volumes and the time to stop", () => {
  const all = manifests();
  const of = (kind: string) => all.find((one) => one.kind === kind) as Manifest;
  const { spec: pod } = of("Deployment").spec.template;
  const [container] = pod.containers;
  const variables = { ...of("ConfigMap").data, ...of("Secret").stringData };
  const drain = drainOf(variables, "kubernetes.yaml");
  assert.ok(pod.terminationGracePeriodSeconds >= drain + AFTER_DRAIN_SECONDS);
  const image = readFileSync(join(DEPLOY, "Dockerfile"), "utf8");
  const ports = new Map(container.ports.map(({ name, containerPort }: any) => [name, containerPort]));
  assert.equal(ports.get("http"), readConfig({}, {}).port);
  assert.ok(image.includes(`ROSTRUM_HEALTH_PORT=${ports.get("health")}`));
  for (const [probe, path] of [
    ["livenessProbe", "/healthz"],
    ["readinessProbe", "/readyz"],
    ["startupProbe", "/readyz"],
  ]) {
    const { httpGet } = container[probe as string];
    assert.deepEqual(httpGet, { path, port: "health" }, probe);
  }
  const volumes = pod.volumes.map(({ name }: any) => name);
  for (const { name } of container.volumeMounts) assert.ok(volumes.includes(name), name);
  assert.equal(of("Deployment").spec.strategy.type, "Recreate", "two servers never share the file");
  const serviceVariable = `${of("Service").metadata.name.toUpperCase()}_PORT`;
  assert.ok(OURS.has(serviceVariable) && pod.enableServiceLinks === false, "no Service overrides a setting");
  assert.match(image, new RegExp(`^USER ${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}$`, "m"));
});

const UNIT = join(DEPLOY, "rostrum.service");
const hasSystemd = existsSync("/usr/bin/systemd-analyze");
const WITH_SYSTEMD = { skip: hasSystemd ? false : "systemd-analyze is not installed" };

test("systemd accepts the unit, and rates its exposure as low", WITH_SYSTEMD, async (t) => {
  const verified = await run("systemd-analyze", ["verify", UNIT]);
  assert.equal(verified.stdout + verified.stderr, "");
  const broken = join(temporaryFolder(t), "broken.service");
  writeFileSync(broken, readFileSync(UNIT, "utf8").replace("NoNewPrivileges=yes", "NoNewPrivilege=yes"));
  assert.match((await run("systemd-analyze", ["verify", broken])).stderr, /NoNewPrivilege/);
  await run("systemd-analyze", ["security", "--offline=true", "--threshold=20", UNIT]);
});

/** The values of a key of the unit, in their order. */
const valuesOf = (key: string) =>
  [...readFileSync(UNIT, "utf8").matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value]) => value as string);

test("the unit's command runs with its environment, and stops within its time", async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o700);
  const example = readFileSync(join(DEPLOY, "rostrum.env"), "utf8");
  const shown = [...example.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const drain = drainOf(Object.fromEntries(shown), "rostrum.env");
  assert.ok(Number(valuesOf("TimeoutStopSec")[0]) >= drain + AFTER_DRAIN_SECONDS);
  const variables = Object.fromEntries(
    valuesOf("Environment").flatMap((line) => line.split(" ").map((pair) => pair.split("="))),
  );
  assert.deepEqual(variables, { NODE_ENV: "production", ROSTRUM_DATA: "/var/lib/rostrum" });
  assert.equal(`/var/lib/${valuesOf("StateDirectory")[0]}`, variables.ROSTRUM_DATA);
  const [command = ""] = valuesOf("ExecStart");
  const own = programArgs("bin/rostrum.ts").join(" ");
  const words = command.replace("/opt/rostrum/node_modules/rostrum/dist/rostrum.js", own).split(" ");
  const env = { PATH: process.env.PATH, ...variables, ROSTRUM_DATA: folder, ROSTRUM_PORT: "0" };
  const server = spawn(words[0] as string, words.slice(1), { cwd: folder, env });
  t.after(() => server.kill("SIGKILL"));
  let said = "";
  server.stdout.on("data", (chunk) => (said += chunk));
  await until(() => said.includes("Rostrum is ready"), 30_000);
  server.kill("SIGTERM");
  assert.deepEqual(await once(server, "exit"), [0, null]);
});
