import { Problem, problem } from "../../../core/problem.ts";
import { isLocalRequest } from "../../../http/guards.ts";
import type { Typed } from "../../app/form-data.ts";
import { goTo, type PageAnswer } from "../../app/respond.ts";
import { flashMessageCookie, sessionCookie } from "../../app/session.ts";
import { TextField } from "../../ui/fields.tsx";
import { PlainForm } from "../../ui/form.tsx";
import { type Ask, entrancePage, NewPassword, OnceToken, type SignInLayout, shownAgain, typedIn } from "./layout.tsx";
import { ProviderButton } from "./single-sign-on.tsx";

/** @jsxRuntime automatic @jsxImportSource preact */

const GONE = problem(
  "link_spent",
  "This link has been used, or has run out. Ask whoever gave it to you for a new one.",
);

const goneSetup = (owned: boolean) =>
  problem(
    "link_spent",
    owned
      ? "This link has been used, or has run out, and this server has its owner: if that is you, sign in. A demo prints a new link whenever it is started."
      : "This link has been used, or has run out. Start the server again: it prints a new one.",
  );

/** With whatever a message's text or a mail program hung onto the token: it is a link's all the same. */
const secretPath = (kind: string) => new RegExp(`^/console/${kind}/([\\w-]{43})?.*$`);

/** Runs what a link's form asks; a refusal draws the form again, without the password. */
async function attempt(
  ask: Ask,
  draw: (ask: Ask, failed?: { problem: Problem; typed: Typed }) => Promise<PageAnswer>,
  act: (form: Typed) => Promise<{ token: string } | undefined>,
): Promise<PageAnswer> {
  const { form, place } = ask;
  if (form === undefined) return draw(ask);
  try {
    const entered = await act(form);
    const cookies = entered === undefined ? [] : [sessionCookie(place, entered.token)];
    return goTo("/console", ...cookies, flashMessageCookie(place, "enter"));
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "link_spent") throw error;
    return draw(ask, { problem: error, typed: shownAgain(form) });
  }
}

export const setup: SignInLayout = {
  name: "/console/setup",
  path: secretPath("setup"),
  secret: true,
  async answer(ask) {
    const { token, entrance, arrival, request, staysHere } = ask;
    const link = await entrance.link(token);
    const owned = await entrance.hasOwner();
    // A demo is entered by whoever sits at the machine, and by nobody else.
    const demo = link?.kind === "demo" && staysHere && isLocalRequest(request);
    const makes = (link?.kind === "setup" || link?.kind === "demo") && !owned;
    if (!demo && !makes) throw goneSetup(owned);

    const draw = async (_: Ask, failed?: { problem: Problem; typed: Typed }) =>
      entrancePage(
        request,
        demo
          ? {
              title: "Look around the demo",
              lead: "Everything in it is made up. You come in as its owner.",
              children: (
                <>
                  <PlainForm id="demo" failed={undefined}>
                    <OnceToken />
                    <input type="hidden" name="as" value="demo" />
                    <button type="submit" class="primary">
                      Enter the demo
                    </button>
                  </PlainForm>
                  {makes && (
                    <details open={failed !== undefined}>
                      <summary>Or make an owner of your own</summary>
                      <OwnerForm failed={failed} submit="Make the owner and sign in" />
                    </details>
                  )}
                </>
              ),
            }
          : {
              title: "Make the owner",
              lead: "The owner decides what agents may do here, and invites everybody else. This link works once.",
              children: <OwnerForm failed={failed} submit="Make the owner and sign in" />,
            },
        failed?.problem,
      );

    return attempt(ask, draw, async (form) => {
      if (demo && typedIn(form, "as") === "demo") {
        const isThere = owned || link.personId !== null;
        return isThere ? entrance.enterDemo(token, arrival) : entrance.setUp(token, "demo", arrival);
      }
      if (!makes) throw goneSetup(owned);
      const owner = {
        name: typedIn(form, "name").trim(),
        email: typedIn(form, "email").trim(),
        password: typedIn(form, "password"),
      };
      return entrance.setUp(token, owner, arrival);
    });
  },
};

function OwnerForm({ failed, submit }: { failed: { problem: Problem; typed: Typed } | undefined; submit: string }) {
  return (
    <PlainForm id="setup" failed={failed}>
      <OnceToken />
      <TextField name="name" label="Your name" autoComplete="name" required />
      <TextField name="email" type="email" label="E-mail address" autoComplete="username" required />
      <NewPassword />
      <button type="submit" class="primary">
        {submit}
      </button>
    </PlainForm>
  );
}

export const invitation: SignInLayout = {
  name: "/console/invitation",
  path: secretPath("invitation"),
  secret: true,
  async answer(ask) {
    const { token, entrance, arrival, request, visitor } = ask;
    const link = await entrance.link(token);
    if (link?.kind !== "invitation" || link.invited === null) throw GONE;
    const { workspaceName, member } = link.invited;
    const isThem = visitor?.person.email.toLowerCase() === member.email.toLowerCase();
    const lead = (
      <>
        You are invited as <strong>{member.name}</strong>, {member.email}.
      </>
    );
    const title = `Join ${workspaceName}`;
    // Whether the address has an account here is not told to whoever holds a link to it.
    const draw = async (_: Ask, failed?: { problem: Problem; typed: Typed }) =>
      entrancePage(
        request,
        {
          title,
          lead,
          children: (
            <>
              <PlainForm id="invitation" failed={failed}>
                <OnceToken />
                {!isThem && <input type="hidden" name="username" autoComplete="username" value={member.email} />}
                {!isThem && <NewPassword label="Choose a password" />}
                <button type="submit" class="primary">
                  Join {workspaceName}
                </button>
              </PlainForm>
              {!isThem && <ProviderButton provider={entrance.singleSignOn} />}
              {!isThem && (
                <p class="quiet">
                  This address has an account here already? <a href="/console/sign-in">Sign in with it</a>, then open
                  this link again.
                </p>
              )}
            </>
          ),
        },
        failed?.problem,
      );
    return attempt(ask, draw, async (form) =>
      isThem && visitor !== undefined
        ? entrance.accept(token, { visitor }, arrival)
        : entrance.accept(token, { password: typedIn(form, "password") }, arrival),
    );
  },
};

export const reset: SignInLayout = {
  name: "/console/reset",
  path: secretPath("reset"),
  secret: true,
  async answer(ask) {
    const { token, entrance, arrival, request } = ask;
    if ((await entrance.link(token))?.kind !== "reset") throw GONE;
    const draw = async (_: Ask, failed?: { problem: Problem; typed: Typed }) =>
      entrancePage(
        request,
        {
          title: "Choose a new password",
          lead: "Every session of yours ends with it, on every machine.",
          children: (
            <PlainForm id="reset" failed={failed}>
              <OnceToken />
              <NewPassword label="New password" />
              <button type="submit" class="primary">
                Set the password and sign in
              </button>
            </PlainForm>
          ),
        },
        failed?.problem,
      );
    return attempt(ask, draw, async (form) => entrance.resetPassword(token, typedIn(form, "password"), arrival));
  },
};
