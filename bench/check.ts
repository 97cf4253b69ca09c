import { isDeepStrictEqual } from "node:util";
import type { NextRequest } from "./load.ts";

/**
 * Sends all servers the same request and compares what they answer.
 *
 * @throws where the floor does not do the work that it is the floor of
 */
export async function checkSameAnswer(next: NextRequest, ports: readonly number[], title: string): Promise<void> {
  const [expected, ...others] = await answersOf(next, ports);
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

function answersOf(next: NextRequest, ports: readonly number[]): Promise<unknown[]> {
  const request = next().toString();
  return Promise.all(ports.map((port) => answerOf(port, request)));
}

/** Status and body, without values that differ per call. An answer streamed as one event counts as its content. */
async function answerOf(port: number, request: string): Promise<unknown> {
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
  const parsed = JSON.parse(event?.slice("data: ".length) ?? text);
  return { status: response.status, body: withoutNews(parsed, method !== "GET" && !path.endsWith("/mcp")) };
}

/** Values created by a write are no difference. */
function withoutNews(body: { data?: Record<string, unknown> }, written: boolean): unknown {
  if (!written || body.data === undefined || Array.isArray(body.data)) return body;
  const { id, created_at, updated_at, ...data } = body.data;
  return { ...body, data };
}
