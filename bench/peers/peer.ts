import { headersOf, newContacts, type Sample } from "../cases.ts";
import type { Child } from "../child.ts";
import { httpRequest, type NextRequest } from "../load.ts";

/** What is asked of every server, in its own words. */
export interface Questions {
  get?: NextRequest;
  list?: NextRequest;
  create?: NextRequest;
  call?: NextRequest;
  tools?: NextRequest;
}

export type Question = keyof Questions;

/** A server that is measured beside Rostrum. */
export interface PeerServer {
  /** As the tables name it. */
  name: string;
  start(work: string): Promise<Child>;
  /** Its requests, once it is ready. */
  questions(sample: readonly Sample[], port: number): Questions | Promise<Questions>;
}

/** Creates the contacts that `creating` creates at Rostrum. */
export function creatingAt(path: string, token: string, bodyOf: (contact: object) => object): NextRequest {
  const headers = { ...headersOf(token), "content-type": "application/json" };
  return newContacts((contact) => httpRequest("POST", path, headers, JSON.stringify(bodyOf(contact))));
}
