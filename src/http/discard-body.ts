import type { IncomingMessage } from "node:http";

const MAX_BYTES = 8 * 1024;

/** Reads a body to its end and keeps nothing of it; false where it is too long, or breaks off. */
export async function discardBody(request: IncomingMessage): Promise<boolean> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BYTES) return false;
  let size = 0;
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > MAX_BYTES) return false;
    }
    return true;
  } catch {
    return false;
  }
}
