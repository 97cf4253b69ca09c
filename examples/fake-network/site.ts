import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Request, type Response } from "express";
import { controls } from "./controls.ts";
import type { Html } from "./html.ts";
import { FakeNetwork, PEOPLE, type Person } from "./network.ts";
import * as pages from "./pages.ts";
import { send } from "./sending.ts";
import { sessionOf, signInRoutes } from "./sign-in.ts";

export interface FakeSite {
  url: string;
  network: FakeNetwork;
  close(): Promise<void>;
}

/** Serves the network on this machine alone. Port 0 picks a free one. */
export async function startFakeNetwork({ port = 0, network = new FakeNetwork() } = {}): Promise<FakeSite> {
  const server = createServer(createSite(network));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    network,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function createSite(network: FakeNetwork): express.Express {
  const site = express();
  site.disable("x-powered-by");
  site.use((_request, response, next) => {
    response.set("content-security-policy", "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'");
    response.set("cache-control", "no-store");
    next();
  });
  site.use(express.urlencoded({ extended: false }));
  site.get("/style.css", (_request, response) => void response.type("css").send(pages.STYLE));
  site.use("/control", controls(network));
  site.use(signInRoutes(network));

  const me = (response: Response) => sessionOf(response).person;
  const show = (response: Response, title: string, body: Html) => {
    const session = sessionOf(response);
    response.send(pages.page(title, body, session.person, session.notice));
    delete session.notice;
  };

  site.get("/", (_request, response) => show(response, "People", pages.home(PEOPLE)));

  site.use(["/in/:handle", "/messages/:handle"], (request, response, next) => {
    const person = network.find(request.params.handle as string);
    const visible = person === me(response) || network.modeFor(me(response).handle) !== "unavailable";
    if (person === undefined || !visible) return missing(response);
    response.locals.person = person;
    next();
  });
  const other = (response: Response): Person => response.locals.person as Person;
  site.get("/in/:handle", (_request, response) => {
    const person = other(response);
    const relation = person === me(response) ? "self" : network.relation(me(response).handle, person.handle);
    show(response, person.name, pages.profile(person, relation));
  });
  site.post("/in/:handle/connect", (request, response) => {
    const to = other(response);
    return send(network, response, {
      kind: "connection_request",
      to,
      copy: textOf(request, "note"),
      once: textOf(request, "once"),
      back: `/in/${to.handle}`,
    });
  });

  site.use("/messages/:handle", (_request, response, next) => {
    if (network.relation(me(response).handle, other(response).handle) === "connected") return next();
    const notice = { role: "alert", text: "You can write to your connections alone. This was not sent." } as const;
    response.status(403).send(pages.page("Messages", pages.home([other(response)]), me(response), notice));
  });
  site.get("/messages/:handle", (_request, response) => {
    const person = other(response);
    const nameOf = (handle: string) => network.find(handle)?.name ?? handle;
    const said = network.conversation(me(response).handle, person.handle);
    show(response, `Messages with ${person.name}`, pages.conversation(person, said, nameOf));
  });
  site.post("/messages/:handle", (request, response) => {
    const to = other(response);
    return send(network, response, {
      kind: "message",
      to,
      copy: textOf(request, "text"),
      once: textOf(request, "once"),
      back: `/messages/${to.handle}`,
    });
  });

  site.get("/inbox", (_request, response) => show(response, "Inbox", pages.inbox(me(response), network)));
  site.post("/inbox/accept", (request, response) => {
    network.accept(me(response).handle, textOf(request, "of"));
    response.redirect(303, "/inbox");
  });
  const missing = (response: Response) => {
    response.status(404).send(pages.page("Not found", pages.missing, me(response)));
  };
  site.use((_request, response) => missing(response));
  return site;
}

/** A field of a form, which sends line breaks as CR and LF. */
function textOf(request: Request, field: string): string {
  return String((request.body as Record<string, unknown>)[field] ?? "").replaceAll("\r\n", "\n");
}
