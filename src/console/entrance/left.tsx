/** @jsxRuntime automatic @jsxImportSource preact */
import type { Request } from "express";
import { problem } from "../../problem.ts";
import { type Typed, wordsOf } from "../form-data.ts";
import { YouWrote } from "../parts/wrote.tsx";
import type { PageAnswer } from "../respond.ts";
import { entrancePage } from "./door.tsx";

/** A form that was sent after its session had ended: nothing is done, and nothing that was typed is lost. */
export function leftPage(request: Request, typed: Typed): PageAnswer {
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
      <YouWrote words={wordsOf(typed)} />
    </>
  );
  const lead = "You are signed out, so nothing was done. What you sent is kept on this page, and nowhere else.";
  return entrancePage(request, { title: "Nothing was sent", lead, children }, problem("not_signed_in"));
}
