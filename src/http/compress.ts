import type { IncomingMessage, ServerResponse } from "node:http";
import compression from "compression";
import type { Request, RequestHandler, Response } from "express";

/** Shorter answers fit a few packets: compressing them costs more than it saves. */
const MIN_BYTES = 4 * 1024;

/** For files and public documents. Never for what holds a secret: its compressed length would reveal it. */
export const compressed: RequestHandler = compression({ threshold: MIN_BYTES });

const nothing = () => {};

/**
 * Has an answer of this length compressed, where the client accepts that. Called before the head is written. Small answers,
 * nearly all, cost a comparison.
 */
export function compressLarge(request: IncomingMessage, response: ServerResponse, length: number): void {
  if (length < MIN_BYTES || request.headers["accept-encoding"] === undefined) return;
  compressed(request as Request, response as Response, nothing);
}
