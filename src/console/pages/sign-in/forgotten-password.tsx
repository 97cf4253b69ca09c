/** @jsxRuntime automatic @jsxImportSource preact */

import { Problem } from "../../../core/problem.ts";
import { RESET_LINK_MS } from "../../../domain/access/session-limits.ts";
import { COMMAND } from "../../../lib/package.ts";
import { MINUTE_MS } from "../../../lib/time.ts";
import type { PageAnswer } from "../../app/respond.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import {
  FormToken,
  fieldValue,
  renderSignInPage,
  type SignInPage,
  type SignInPageRequest,
  withoutPasswords,
} from "./layout.tsx";

const MINUTES = RESET_LINK_MS / MINUTE_MS;

/** Emails a link for a new password; if the server sends no email, says to ask its operator. */
export const forgotten: SignInPage = {
  name: "/console/forgotten",
  path: /^\/console\/forgotten$/,
  async answer(pageRequest) {
    const { form, signInService, signInRequest, request } = pageRequest;
    if (!signInService.mailsLinks) return renderSignInPage(request, { title: TITLE, children: <AskTheOperator /> });
    if (form === undefined) return draw(pageRequest);
    try {
      await signInService.requestPasswordReset(fieldValue(form, "email"), signInRequest);
    } catch (error) {
      if (error instanceof Problem) return draw(pageRequest, error);
      throw error;
    }
    return renderSignInPage(request, {
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

async function draw({ request, form }: SignInPageRequest, problem?: Problem): Promise<PageAnswer> {
  const children = (
    <>
      <PlainForm id="forgotten" failed={problem && { problem, typed: withoutPasswords(form) }}>
        <FormToken />
        <TextField name="email" type="email" label="E-mail address" autoComplete="username" required />
        <button type="submit" class="primary">
          Mail me a link
        </button>
      </PlainForm>
      <a href="/console/sign-in">Back to the sign-in</a>
    </>
  );
  return renderSignInPage(request, { title: TITLE, lead: "We mail you a link for a new one.", children }, problem);
}
