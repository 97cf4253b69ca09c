/** @jsxRuntime automatic @jsxImportSource preact */

import type { Request } from "express";
import { type Problem, problem } from "../../../core/problem.ts";
import { type Typed, typedTexts } from "../../app/form-data.ts";
import type { PageAnswer } from "../../app/respond.ts";
import { TypedTexts } from "../../ui/refusal.tsx";
import { renderSignInPage } from "./layout.tsx";

/** A refusal outside any workspace. */
export function faultPage(request: Request, refusal: Problem): PageAnswer {
  const isSpent = refusal.code === "link_spent";
  const title = isSpent ? "This link works no more" : refusal.status === 404 ? "Not found" : "This did not work";
  const children = isSpent ? <a href="/console/sign-in">Sign in</a> : <a href="/console">Go to the console</a>;
  return renderSignInPage(request, { title, lead: refusal.message, children }, refusal);
}

/** For a form that was sent after its session ended: nothing is done, and nothing that was typed is lost. */
export function unsentFormPage(request: Request, typed: Typed): PageAnswer {
  const children = (
    <>
      <p>
        <a class="button primary" href="/console/sign-in" target="_blank" rel="noopener">
          Sign in, in another tab
        </a>
      </p>
      <form method="post">
        {[...typed].map(([name, values]) =>
          values.map((value) => <input type="hidden" name={name} value={value} key={`${name} ${value}`} />),
        )}
        <button type="submit">Then send it again</button>
      </form>
      <TypedTexts texts={typedTexts(typed)} />
    </>
  );
  const lead = "You are signed out, so nothing was done. What you sent is kept on this page, and nowhere else.";
  return renderSignInPage(request, { title: "Nothing was sent", lead, children }, problem("not_signed_in"));
}
