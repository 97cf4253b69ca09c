/** @jsxRuntime automatic @jsxImportSource preact */
import type { Request } from "express";
import type { Problem } from "../../problem.ts";
import type { PageAnswer } from "../respond.ts";
import { entrancePage } from "./door.tsx";

/** What cannot be shown, where no workspace stands around it. */
export function faultPage(request: Request, refusal: Problem): PageAnswer {
  const isSpent = refusal.code === "link_spent";
  const title = isSpent ? "This link works no more" : refusal.status === 404 ? "Not found" : "This did not work";
  const children = isSpent ? <a href="/console/sign-in">Sign in</a> : <a href="/console">Go to the console</a>;
  return entrancePage(request, { title, lead: refusal.message, children }, refusal);
}
