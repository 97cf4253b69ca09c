import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Request, type Response, Router } from "express";
import { type FakeNetwork, type Mode, PASSWORD, type Person } from "./network.ts";
import * as pages from "./pages.ts";

/** A signed-in visitor, kept in `response.locals`. */
export interface Session {
  person: Person;
  /** Shown on the next page. */
  notice?: pages.Notice;
}

export const sessionOf = (response: Response): Session => response.locals.session as Session;

/** A day, so that a browser keeps the cookie in its profile when it is closed. */
const COOKIE_MS = 86_400_000;

/** Signs visitors in and out, and admits only those whom no login, captcha or limit blocks. */
export function signInRoutes(network: FakeNetwork): Router {
  const sessions = new Map<string, Session>();
  const find = ({ headers }: Request) => sessions.get(/(?:^|; )session=(\w+)/.exec(headers.cookie ?? "")?.[1] ?? "");
  const router = Router();

  router.get("/login", (request, response) => {
    response.send(pages.page("Sign in", pages.signIn(String(request.query.next ?? "/"))));
  });
  router.post("/login", (request, response) => {
    const { handle = "", password, next = "/" } = request.body as Record<string, string>;
    const person = network.find(handle);
    if (person === undefined || password !== PASSWORD) {
      const notice = { role: "alert", text: "Name or password is wrong." } as const;
      response.status(401).send(pages.page("Sign in", pages.signIn(next), undefined, notice));
      return;
    }
    const id = randomBytes(16).toString("hex");
    sessions.set(id, { person });
    response.cookie("session", id, { httpOnly: true, sameSite: "strict", maxAge: COOKIE_MS });
    response.redirect(303, isOwnPath(next) ? next : "/");
  });

  router.use(async (request, response, next) => {
    const session = find(request);
    const mode = network.modeFor(session?.person.handle);
    if (session === undefined || mode === "login_wall") {
      const back = request.method === "GET" ? request.originalUrl : "/";
      response.redirect(303, `/login?next=${encodeURIComponent(back)}`);
      return;
    }
    response.locals.session = session;
    if (mode === "restricted") {
      response.status(403).send(pages.page("Restricted", pages.restricted));
      return;
    }
    if (request.path !== "/checkpoint" && isChecked(mode, request, session.person)) {
      response.redirect(303, "/checkpoint");
      return;
    }
    if (mode === "slow") await pause(network.slowMs, undefined, { ref: false });
    next();
  });
  router.get("/checkpoint", (_request, response) => {
    response.send(pages.page("Security check", pages.securityCheck));
  });
  router.post("/logout", (_request, response) => {
    for (const [id, session] of sessions) if (session === sessionOf(response)) sessions.delete(id);
    response.redirect(303, "/login");
  });
  return router;
}

function isChecked(mode: Mode, { method, path }: Request, { handle }: Person): boolean {
  const others = /^\/(in|messages)\//.test(path) && path !== `/in/${handle}`;
  if (mode === "captcha_at_profiles") return others;
  return mode === "captcha" || (mode === "captcha_on_send" && others && method === "POST");
}

/** Where a sign-in may redirect: only to this site. */
function isOwnPath(path: string): boolean {
  return URL.canParse(path, "http://here") && new URL(path, "http://here").origin === "http://here";
}
