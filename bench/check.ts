import { isDeepStrictEqual } from "node:util";
import type { Case } from "./cases.ts";
import type { NextRequest } from "./load.ts";

/**
 * Sends all servers the same request and compares what they answer.
 *
 * @throws where the floor does not do the work that it is the floor of
 */
export async function checkSameAnswer({ next, title, oneDatabase }: Case, ports: readonly number[]): Promise<void> {
  const [expected, ...others] = await answersOf(next, ports, oneDatabase);
  for (const other of others) {
    if (isDeepStrictEqual(other, expected)) continue;
    const shown = [expected, other].map((answer) => JSON.stringify(answer).slice(0, 1_000));
    throw new Error(`${title}: the servers answer differently.\n${shown.join("\n")}`);
  }
}

/** Whether two commits answer alike. A difference can be intended by the newer one, so it is not an error. */
export async function answersAlike(next: NextRequest, ports: readonly [number, number]): Promise<boolean> {
  const [one, other] = await answersOf(next, ports);
  return isDeepStrictEqual(one, other);
}

/** On one database, each server writes a record of its own: one address belongs to one contact. */
function answersOf(next: NextRequest, ports: readonly number[], oneDatabase = false): Promise<unknown[]> {
  const request = next().toString();
  const own = oneDatabase && writes(request);
  return Promise.all(ports.map((port) => answerOf(port, own ? next().toString() : request, own)));
}

const writes = (request: string) => !/^(?:GET |POST \S*\/mcp )/.test(request);

/** Status and body, without values that differ per call. */
async function answerOf(port: number, request: string, own: boolean): Promise<unknown> {
  const { status, body } = await answerTo(port, request);
  return { status, body: writes(request) ? withoutNews(body, own) : body };
}

/** Sends the text of one request. An answer streamed as one event counts as its content. */
export async function answerTo(
  port: number,
  request: string,
): Promise<{ status: number; bytes: number; body: { data?: Record<string, unknown> } }> {
  const [head = "", body] = request.split("\r\n\r\n", 2);
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers = lines.map((line) => line.split(": ", 2) as [string, string]);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: headers.filter(([name]) => name !== "host" && name !== "content-length"),
    ...(body ? { body } : {}),
  });
  const text = await response.text();
  const event = text.split("\n").find((line) => line.startsWith("data: {"));
  const bytes = Buffer.byteLength(text);
  return { status: response.status, bytes, body: JSON.parse(event?.slice("data: ".length) ?? text) };
}

/** Values created by a write are no difference, nor is the address of a record of its own. */
function withoutNews(body: { data?: Record<string, unknown> }, own: boolean): unknown {
  if (body.data === undefined || Array.isArray(body.data)) return body;
  const { id, created_at, updated_at, email, ...data } = body.data;
  return { ...body, data: own ? data : { ...data, email } };
}
