import { Problem } from "../../../core/problem.ts";
import { RESET_MS } from "../../../domain/access/session-limits.ts";
import { MINUTE_MS } from "../../../lib/time.ts";
import { COMMAND } from "../../../lib/version.ts";
import type { PageAnswer } from "../../app/respond.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { type Ask, entrancePage, OnceToken, type SignInLayout, shownAgain, typedIn } from "./layout.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

const MINUTES = RESET_MS / MINUTE_MS;

/** A new password by mail; where this server sends none, by whoever runs it. */
export const forgotten: SignInLayout = {
  name: "/console/forgotten",
  path: /^\/console\/forgotten$/,
  async answer(ask) {
    const { form, entrance, arrival, request } = ask;
    if (!entrance.mailsLinks) return entrancePage(request, { title: TITLE, children: <AskTheOperator /> });
    if (form === undefined) return draw(ask);
    try {
      await entrance.askReset(typedIn(form, "email"), arrival);
    } catch (error) {
      if (error instanceof Problem) return draw(ask, error);
      throw error;
    }
    return entrancePage(request, {
      title: "Look into your mailbox",
      lead: `If this address has an account here, a link is on its way to it. It works once, for ${MINUTES} minutes.`,
      children: (
        <p class="quiet">
          Nothing came? At most three an hour go to one address; look among the spam, or ask whoever runs this server.{" "}
          <a href="/console/sign-in">Back to the sign-in</a>
        </p>
      ),
    });
  },
};

const TITLE = "Forgot your password?";

function AskTheOperator() {
  return (
    <>
      <p>
        This server sends no mail. Whoever runs it makes a link for you, in the folder that it was started in:{" "}
        <code>{COMMAND} member reset-password your@address</code>
      </p>
      <p class="quiet">
        With <code>--data</code> behind it, if the server was started with that.
      </p>
      <a href="/console/sign-in">Back to the sign-in</a>
    </>
  );
}

async function draw({ request, form }: Ask, problem?: Problem): Promise<PageAnswer> {
  const children = (
    <>
      <PlainForm id="forgotten" failed={problem && { problem, typed: shownAgain(form) }}>
        <OnceToken />
        <TextField name="email" type="email" label="E-mail address" autoComplete="username" required />
        <button type="submit" class="primary">
          Mail me a link
        </button>
      </PlainForm>
      <a href="/console/sign-in">Back to the sign-in</a>
    </>
  );
  return entrancePage(request, { title: TITLE, lead: "We mail you a link for a new one.", children }, problem);
}
