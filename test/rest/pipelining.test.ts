import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { Admission } from "../../src/http/admission.ts";
import { createWebApp, listen } from "../../src/http/server.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

test("a read in the same packet as a write sees what the write stored, and so does the next write", async (t) => {
  const { running, key } = await startServer(t);
  const head = ["Host: 127.0.0.1", `Authorization: Bearer ${key}`];
  const read = ["GET /api/v1/contacts HTTP/1.1", ...head, "", ""].join("\r\n");
  const write = (line: string, fields: object) => {
    const body = JSON.stringify(fields);
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    return [`${line} HTTP/1.1`, ...head, ...more, "", body].join("\r\n");
  };
  const create = write("POST /api/v1/contacts", { full_name: "Ada Lovelace", email: "ada@example.com" });
  const assertion = write("PUT /api/v1/contacts/assert", { email: "ada@example.com", company: "Analytical" });
  const socket = connect(running.port, "127.0.0.1");
  t.after(() => socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(read + create + read + assertion + read);
  const answers = () =>
    [...text.matchAll(/\r\n\r\n(\{.*?\})(?=HTTP|$)/gs)].map(([, body]) => JSON.parse(body as string));
  await until(() => text.split("HTTP/1.1 ").length === 6 && text.endsWith("}"));
  const [before, created, after, asserted, last] = answers();
  assert.deepEqual([before.data, before.meta.total], [[], 0]);
  assert.deepEqual([after.meta.total, after.data[0].id], [1, created.data.id]);
  assert.equal(asserted.data.id, created.data.id);
  assert.deepEqual(
    last.data.map(({ company }: { company: string }) => company),
    ["Analytical"],
  );
});

/** A server with handlers that answer once they are told to, and one that answers at once. */
async function slow(t: TestContext, maxInFlight: number) {
  const admission = new Admission({ maxInFlight, exempt: [], answers: [], onRefusal: () => undefined });
  const web = createWebApp({ admission });
  const reached: string[] = [];
  const answers: (() => void)[] = [];
  web.app.get("/quick", (_request, response) => void response.end());
  web.app.get("/last", (_request, response) => void response.setHeader("connection", "close").end());
  web.app.use((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    answers.push(() => void response.end());
  });
  const port = await listen(web.server, 0, "127.0.0.1");
  t.after(() => web.stop());
  const open = () => {
    const socket = connect(port, "127.0.0.1").setNoDelay();
    t.after(() => socket.destroy());
    socket.on("error", () => undefined).resume();
    const send = (lines: readonly string[], body = "") =>
      socket.write(lines.map((line) => requestOf(line, body)).join(""));
    return { socket, send, closed: once(socket, "close") };
  };
  const quick = async () => (await fetch(`http://127.0.0.1:${port}/quick`)).status;
  return { open, reached, answers, quick };
}

const requestOf = (line: string, body: string) =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test("requests on a connection are served one after the other, and reads together", async (t) => {
  const { open, reached, answers, quick } = await slow(t, 100);
  const { send, socket } = open();
  send(["GET /1", "GET /2", "POST /3", "GET /4", "GET /5"]);
  const expected = ["GET /1", "GET /2"];
  await until(() => reached.length === 2);
  await quick();
  assert.deepEqual(reached, expected, "the write waits for both reads");
  answers[1]?.();
  await quick();
  assert.deepEqual(reached, expected, "also if they are done in another order");
  for (const [answered, next] of [
    [0, "POST /3"],
    [2, "GET /4"],
    [3, "GET /5"],
  ] as const) {
    answers[answered]?.();
    expected.push(next);
    await until(() => reached.length >= expected.length);
    await quick();
    assert.deepEqual(reached, expected);
  }
  answers[4]?.();
  send(["GET /6", "GET /7"]);
  await until(() => reached.length === 7);
  socket.destroy();
});

test("requests that wait for their turn take no slot of others, and too many of them are refused", async (t) => {
  const { open, reached, answers, quick } = await slow(t, 3);
  const { send, socket } = open();
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  send(["POST /1", "POST /2", "POST /3", "POST /4", "POST /5", "POST /6"], "body");
  for (let served = 0; served < 4; served++) {
    await until(() => reached.length === served + 1);
    assert.equal(await quick(), 200);
    answers[served]?.();
  }
  const statuses = () => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  await until(() => statuses().length === 6);
  assert.deepEqual(statuses(), ["200", "200", "200", "200", "503", "503"]);
  socket.destroy();
});

const CONNECT = "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n";

for (const [how, before, after] of [
  ["its client disconnects", "POST /1", ""],
  ["an answer before it closes the connection", "GET /last", ""],
  ["an answer before it closes the connection, after CONNECT", "GET /last", CONNECT],
] as const) {
  test(`a request that waits for its turn frees its place if ${how}`, async (t) => {
    const { open, reached, answers } = await slow(t, 3);
    for (let time = 0; time < 3; time++) {
      const { socket, closed } = open();
      socket.write(
        ["GET /quick", before, "POST /2", "GET /3", "POST /4"].map((line) => requestOf(line, "")).join("") + after,
      );
      if (before === "POST /1") {
        await until(() => reached.length === time + 1);
        socket.destroy();
      }
      await closed;
    }
    const served = reached.length;
    const { socket, send } = open();
    send(["POST /5", "POST /6", "POST /7", "POST /8"]);
    for (let done = 0; done < 4; done++) {
      await until(() => reached.length === served + done + 1);
      answers[served + done]?.();
    }
    socket.destroy();
  });
}
