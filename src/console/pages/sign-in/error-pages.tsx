/** @jsxRuntime automatic @jsxImportSource preact */

import type { Request } from "express";
import { type Problem, problem } from "../../../core/problem.ts";
import { type Typed, typedTexts } from "../../app/form-data.ts";
import type { PageAnswer } from "../../app/respond.ts";
import { refusalText } from "../../ui/form.tsx";
import { TypedTexts } from "../../ui/refusal.tsx";
import { renderSignInPage } from "./layout.tsx";

/** An error outside any workspace. */
export function faultPage(request: Request, refusal: Problem): PageAnswer {
  const isSpent = refusal.code === "link_spent";
  const title = titleOf(refusal);
  const children = isSpent ? <a href="/console/sign-in">Sign in</a> : <a href="/console">Go to the console</a>;
  // Who connects a client knows the parameters of its request by their names.
  const lead = REWORDED.has(refusal.code) ? refusalText(refusal) : refusal.message;
  return renderSignInPage(request, { title, lead, children }, refusal);
}

/** Refusals of forms that speak to programs. */
const REWORDED: ReadonlySet<string> = new Set(["payload_too_large", "origin_not_allowed"]);

function titleOf({ code, status }: Problem): string {
  if (code === "link_spent") return "This link no longer works";
  if (code === "client_not_found") return "Unknown client";
  return status === 404 ? "Page not found" : "Something went wrong";
}

/** For a form that was sent after its session ended. The page keeps the typed values, so that they can be sent again. */
export function unsentFormPage(request: Request, typed: Typed): PageAnswer {
  const children = (
    <>
      <p>
        <a class="button primary" href="/console/sign-in" target="_blank" rel="noopener">
          Sign in from a new tab
        </a>
      </p>
      <form method="post">
        {[...typed].map(([name, values]) =>
          values.map((value) => <input type="hidden" name={name} value={value} key={`${name} ${value}`} />),
        )}
        <button type="submit">Submit again</button>
      </form>
      <TypedTexts texts={typedTexts(typed)} />
    </>
  );
  const lead = "You're signed out. Your changes are only on this page. Sign in from a new tab, then submit again.";
  return renderSignInPage(request, { title: "Changes not saved", lead, children }, problem("not_signed_in"));
}
