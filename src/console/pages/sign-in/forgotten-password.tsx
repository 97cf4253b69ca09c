/** @jsxRuntime automatic @jsxImportSource preact */

import { Problem } from "../../../core/problem.ts";
import { RESET_LINK_MS } from "../../../domain/access/session-limits.ts";
import { MINUTE_MS } from "../../../lib/time.ts";
import type { PageAnswer } from "../../app/respond.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { ServerCommand } from "../../ui/server-command.tsx";
import {
  FormToken,
  fieldValue,
  renderSignInPage,
  type SignInPage,
  type SignInPageRequest,
  withoutPasswords,
} from "./layout.tsx";

const MINUTES = RESET_LINK_MS / MINUTE_MS;

/** Emails a link for a new password. Without a mail server, it tells the member to ask the server admin. */
export const forgotten: SignInPage = {
  name: "/console/forgotten",
  path: /^\/console\/forgotten$/,
  async answer(pageRequest) {
    const { form, signInService, signInRequest, request } = pageRequest;
    if (!signInService.mailsLinks()) return renderSignInPage(request, { title: TITLE, children: <AskServerAdmin /> });
    if (form === undefined) return draw(pageRequest);
    try {
      await signInService.requestPasswordReset(fieldValue(form, "email"), signInRequest);
    } catch (error) {
      if (error instanceof Problem) return draw(pageRequest, error);
      throw error;
    }
    return renderSignInPage(request, {
      title: "Check your email",
      lead: `If this address has an account, we sent it an email. A reset link works once and expires in ${MINUTES} minutes.`,
      children: (
        <p class="quiet">
          No email? Check your spam folder, or ask your server admin. You can request three links an hour.{" "}
          <a href="/console/sign-in">Back to sign-in</a>
        </p>
      ),
    });
  },
};

const TITLE = "Forgot your password?";

function AskServerAdmin() {
  return (
    <>
      <p>
        Email isn't set up. Ask your server admin for a reset link. Your server admin creates it with this command:{" "}
        <ServerCommand words="member reset-password your@address" />
      </p>
      <a href="/console/sign-in">Back to sign-in</a>
    </>
  );
}

async function draw({ request, form }: SignInPageRequest, problem?: Problem): Promise<PageAnswer> {
  const children = (
    <>
      <PlainForm id="forgotten" failed={problem && { problem, typed: withoutPasswords(form) }}>
        <FormToken />
        <TextField name="email" type="email" label="Email address" autoComplete="username" required />
        <button type="submit" class="primary">
          Send reset link
        </button>
      </PlainForm>
      <a href="/console/sign-in">Back to sign-in</a>
    </>
  );
  return renderSignInPage(request, { title: TITLE, lead: "We'll email you a link to reset it.", children }, problem);
}
