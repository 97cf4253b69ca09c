import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import https from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { document, rostrum } from "../cli/process.ts";
import { freePort } from "../support/free-port.ts";
import { PASSWORD } from "../support/http-browser.ts";
import { programArgs, ROOT } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

/** The files for proxies in deploy/, with other ports and a certificate of their own. */

const read = (path: string) => readFileSync(join(ROOT, "deploy", path), "utf8");
const NAME = "rostrum.example";

interface Place {
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Of the proxy and of the server. */
  front: number;
  back: number;
  ca: Buffer;
}

async function place(t: TestContext): Promise<Place> {
  const folder = temporaryFolder(t);
  const subject = ["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`];
  const made = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem"), "-days", "2"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject, ...made], { stdio: "ignore" });
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const [front, back] = [await freePort(), await freePort()];
  return { folder, env, front, back, ca: readFileSync(join(folder, "cert.pem")) };
}

/** A program that ends with the test. */
function start(t: TestContext, program: string, args: string[], { folder, env }: Place, more: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, args, { cwd: folder, env: { ...env, ...more } });
  // After SIGKILL, nginx would leave its workers running.
  t.after(() => child.kill("SIGTERM"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  return () => said;
}

interface Got {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** A request to the public name, at the proxy's port. */
function ask(at: Place, path: string, options: https.RequestOptions = {}, body = ""): Promise<Got> {
  const agent = options.agent ?? new https.Agent({ ca: at.ca });
  return new Promise((resolve, reject) => {
    const headers = { host: NAME, ...options.headers };
    const request = https.request(
      { port: at.front, servername: NAME, path, ...options, agent, headers },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, headers: response.headers, text });
      },
    );
    request.once("error", reject).end(body);
  });
}

const PROXIES: Readonly<Record<string, (t: TestContext, at: Place) => () => string>> = {
  nginx(t, at) {
    const { folder } = at;
    const site = read("nginx.conf")
      .replaceAll(/\/etc\/letsencrypt\/live\/rostrum\.example\/(fullchain|privkey)\.pem/g, (_, kind) =>
        join(folder, kind === "fullchain" ? "cert.pem" : "key.pem"),
      )
      .replace(/server \{\s*listen 80;[^}]*\}/, "")
      .replace("listen 443 ssl", `listen 127.0.0.1:${at.front} ssl`)
      .replace("127.0.0.1:8787", `127.0.0.1:${at.back}`);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/t;`);
    // Its worker would be another user, who can't write to this test's folder.
    const user = process.getuid?.() === 0 ? "user root;" : "";
    const own = `${user} pid ${folder}/pid; error_log ${folder}/errors;\nevents {}\nhttp {\naccess_log off; ${paths.join(" ")}\n`;
    writeFileSync(join(folder, "nginx.conf"), `${own}${site}}\n`);
    return start(t, "nginx", ["-g", "daemon off;", "-c", join(folder, "nginx.conf")], at);
  },
  Caddy(t, at) {
    const certificate = `tls ${at.folder}/cert.pem ${at.folder}/key.pem`;
    const site = read("compose/Caddyfile").replace("{$DOMAIN} {", `{$DOMAIN} {\n\t${certificate}`);
    // Its port for commands is fixed, and another Caddy may have it. A redirect needs port 80.
    writeFileSync(join(at.folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    const variables = { DOMAIN: `https://${NAME}:${at.front}`, UPSTREAMS: `127.0.0.1:${at.back}` };
    return start(
      t,
      "caddy",
      ["run", "--adapter", "caddyfile", "--config", join(at.folder, "Caddyfile")],
      at,
      variables,
    );
  },
};

/** How long each proxy keeps an idle connection to the server. */
const IDLE_SECONDS: Readonly<Record<string, () => number>> = {
  nginx: () => Number(/keepalive_timeout (\d+)s;/.exec(read("nginx.conf"))?.[1]),
  Caddy() {
    const args = ["adapt", "--adapter", "caddyfile", "--config", join(ROOT, "deploy/compose/Caddyfile")];
    const env = { ...process.env, DOMAIN: NAME, UPSTREAMS: "127.0.0.1:8787" };
    const adapted = execFileSync("caddy", args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] });
    const [, nanoseconds] = /"idle_timeout":(\d+)/.exec(adapted) ?? [];
    return Number(nanoseconds) / 1e9;
  },
};

for (const [name, run] of Object.entries(PROXIES)) {
  test(`behind ${name} with TLS, people sign in, pages stay live, and a caller can't make up an address`, {
    timeout: 90_000,
  }, async (t) => {
    const at = await place(t);
    const args = [...programArgs("bin/rostrum.ts"), "start", "--data", join(at.folder, "data")];
    const said = start(t, process.execPath, args, at, {
      ROSTRUM_PORT: String(at.back),
      ROSTRUM_PUBLIC_URL: `https://${NAME}`,
      ROSTRUM_TRUST_PROXY: "loopback",
      ROSTRUM_DRAIN_SECONDS: "0",
    });
    const proxy = run(t, at);
    const isUp = () =>
      ask(at, "/readyz").then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isUp, 30_000).catch(() => assert.fail(said() + proxy()));

    await until(() => said().includes("MCP client settings"));
    const forged = await ask(at, "/healthz", { headers: { "x-forwarded-for": "192.0.2.7" } });
    assert.equal(forged.headers["x-client-address"], "127.0.0.1");
    const link = /https:\/\/rostrum\.example(\/console\/\S+)/.exec(said().split("Set up")[1] ?? "")?.[1] ?? "";
    const form = new URLSearchParams({ name: "Ada", email: "ada@acme.example", password: PASSWORD }).toString();
    const headers = { origin: `https://${NAME}`, "content-type": "application/x-www-form-urlencoded" };
    const entered = await ask(at, link, { method: "POST", headers }, form);
    assert.equal(entered.status, 303, entered.text);
    const [cookie = ""] = String(entered.headers["set-cookie"]).split(";");
    assert.match(cookie, /^__Host-rostrum=/, "the server knows that people reach it by https");
    const home = await ask(at, String(entered.headers.location).replace(`https://${NAME}`, ""), {
      headers: { cookie },
    });
    const page = home.status === 200 ? home : await ask(at, String(home.headers.location), { headers: { cookie } });
    assert.equal(page.status, 200);

    const kept = await fetch(`http://127.0.0.1:${at.back}/healthz`);
    const [, seconds] = /timeout=(\d+)/.exec(kept.headers.get("keep-alive") ?? "") ?? [];
    assert.ok(
      (IDLE_SECONDS[name]?.() ?? Number.NaN) < Number(seconds),
      "the proxy closes an idle connection before the server does",
    );

    const live = /data-live="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const agent = new https.Agent({ ca: at.ca });
    const first = await new Promise<string>((resolve, reject) => {
      const options = { port: at.front, servername: NAME, path: live, agent, headers: { host: NAME, cookie } };
      const request = https.get(options, (response) => {
        response.once("data", (chunk: Buffer) => {
          resolve(String(chunk));
          request.destroy();
        });
      });
      request.once("error", reject);
    });
    assert.match(first, /^event: state/m, "the proxy passes events on as they come");

    for (const kilobytes of [270, 500, 1_100, 3_000]) {
      // A key of its own, because of its rate limit.
      const key = ["key", "create", "--name", "test", "--scopes", "all", "--data", join(at.folder, "data"), "--json"];
      const authorization = `Bearer ${document(await rostrum(key)).data.key}`;
      const body = JSON.stringify({ first_name: "x".repeat(kilobytes * 1_000) });
      const headers = { authorization, "content-type": "application/json", "content-length": body.length };
      for (let n = 0; n < 20; n += 1) {
        const { status, text } = await ask(at, "/api/v1/contacts", { method: "POST", headers }, body);
        assert.equal(status, 413, `${kilobytes} KB, request ${n}: ${text}`);
        assert.equal(JSON.parse(text).code, "payload_too_large");
      }
    }
  });
}
