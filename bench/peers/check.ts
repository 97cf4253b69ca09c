/** Whether every server does what is asked, so that the work compared is the same. */
import { answerTo } from "../check.ts";
import type { NextRequest } from "../load.ts";
import type { Question } from "./peer.ts";

type Json = Record<string, unknown>;

/**
 * Sends a server one request and checks its answer: the contact that was asked for, a page and the number of all
 * contacts, a new contact, or tools.
 *
 * @param total contacts that are counted, at least
 * @returns the bytes of the answer's body
 * @throws where it is something else
 */
export async function checkAnswer(
  server: string,
  question: Question,
  next: NextRequest,
  port: number,
  total: number,
): Promise<number> {
  const { status, bytes, body } = await answerTo(port, next().toString());
  const problem = status >= 300 ? `status ${status}` : problemOf(question, body, total);
  if (problem === undefined) return bytes;
  throw new Error(`${server} answers ${question} with ${problem}: ${JSON.stringify(body).slice(0, 1_000)}`);
}

/** What is wrong with an answer, in the shape of any of the products. */
export function problemOf(question: Question, body: Json, total: number): string | undefined {
  switch (question) {
    case "get":
    case "create":
      return hasEmail(body.data) ? undefined : "no contact";
    case "list": {
      const { data, meta } = body as { data?: unknown; meta?: Json };
      if (!Array.isArray(data) || data.length !== 25 || !hasEmailField(data[0])) return "no page of 25 contacts";
      const counted = meta?.total ?? meta?.total_count ?? (meta?.pagination as Json | undefined)?.total;
      return Number(counted) >= total ? undefined : `a total of ${counted}, not ${total}`;
    }
    case "call": {
      const result = body.result as { content?: { text: string }[]; isError?: boolean } | undefined;
      return result?.isError !== true && /"email":"[^"]+@/.test(result?.content?.[0]?.text ?? "")
        ? undefined
        : "no contact";
    }
    case "tools":
      return Array.isArray((body.result as Json | undefined)?.tools) ? undefined : "no tools";
  }
}

const hasEmailField = (contact: unknown) => typeof contact === "object" && contact !== null && "email" in contact;
const hasEmail = (contact: unknown) => hasEmailField(contact) && typeof (contact as Json).email === "string";
