import type { Request } from "express";
import type { Config } from "../config.ts";
import { MEMBER_API_PREFIX, memberApi } from "../console/app/member-api.ts";
import { mountConsole } from "../console/app/router.ts";
import { memberSignIn } from "../console/app/session.ts";
import type { Problem } from "../core/problem.ts";
import { MCP_PATH } from "../domain/access/oauth.ts";
import { UNSUBSCRIBE_PATH } from "../domain/outreach/unsubscribe-link.ts";
import { accessLog } from "../http/access-log.ts";
import { Admission, OVERLOADED, OVERLOADED_ENVELOPE, type OverloadAnswer } from "../http/admission.ts";
import { shareWith } from "../http/cors.ts";
import { mountErrorHandlers } from "../http/error-handler.ts";
import { HEALTH_PATHS, METRICS_PATH, mountHealth, mountMetrics, type ReadReadiness } from "../http/health.ts";
import { createWebApp, guardHost, isLocalOnly, stampRequests } from "../http/server.ts";
import { staticPage } from "../http/static-page.ts";
import { mountUnsubscribe } from "../http/unsubscribe.ts";
import { createAuthenticate } from "../identity/authenticate.ts";
import { clientOf } from "../identity/connection-log.ts";
import { mountOAuth } from "../identity/oauth/endpoints.ts";
import { createGrants } from "../identity/oauth/grants.ts";
import { METADATA_PATHS } from "../identity/oauth/metadata.ts";
import { createConnectLimits, createSignInLimits } from "../identity/rate-limits.ts";
import { createSignInService } from "../identity/sign-in.ts";
import { createSingleSignOn } from "../identity/single-sign-on.ts";
import type { Log } from "../lib/log.ts";
import { VERSION } from "../lib/package.ts";
import type { Tracing } from "../lib/tracing.ts";
import { mountMcp } from "../mcp/endpoint.ts";
import { refusalMessage } from "../mcp/rpc.ts";
import { createToolbox } from "../mcp/server.ts";
import { mountReference, OPENAPI_PATH } from "../rest/reference.ts";
import { restRouter } from "../rest/router.ts";
import type { createOptOuts } from "../services/outreach/suppression.ts";
import { operations } from "../tools/index.ts";
import type { Overrides, Parts } from "./core.ts";

export type OptOuts = ReturnType<typeof createOptOuts>;

/** Everything that answers requests. The order of the mounts is the order in which requests pass them. */
export function mountSurfaces(
  config: Config,
  log: Log,
  overrides: Overrides,
  parts: Parts,
  optOuts: OptOuts,
  readiness: ReadReadiness,
  tracing: Tracing | undefined,
) {
  const { store, shared, authLog, connections, metrics, invoke, refuse, clock, limits, asSystem } = parts;
  const { vault, url } = shared;
  const { clients } = parts.outgoing;
  const { publicUrl } = config;
  const authenticate = createAuthenticate(store, authLog, clock);
  const singleSignOn = config.oidc && createSingleSignOn(config.oidc, { vault, clock, log, url });
  const signInParts = { store, authLog, clock, limits: createSignInLimits(store.counters), singleSignOn };
  const signInService = createSignInService({ ...signInParts, mailsLinks: parts.mail.mailsLinks });

  const sharing = shareWith(config.corsOrigins, [...METADATA_PATHS, OPENAPI_PATH]);
  // A form on a page that sends no referrer has the Origin `null`, whatever site it is on; its URL holds a token.
  const isOpen = (request: Request) => request.url.startsWith(`${UNSUBSCRIBE_PATH}/`) || sharing.allows(request);
  const noteGuarded = (refusal: Problem, request: Request) => {
    if (!CONNECTING.some((prefix) => request.url.startsWith(prefix))) return;
    connections.refused(refusal, clientOf(request));
  };

  const web = createWebApp({
    trustProxy: config.trustProxy,
    early: [
      ...(config.accessLog === "on" ? [accessLog(log)] : []),
      guardHost(config.host, publicUrl, isOpen, noteGuarded),
      sharing.handler,
      restRouter(operations, invoke, authenticate, tracing),
      memberApi(operations, invoke, overrides.signIn ?? memberSignIn(signInService, publicUrl), publicUrl),
    ],
    admission: new Admission({
      maxInFlight: config.maxInFlight,
      exempt: [...HEALTH_PATHS, METRICS_PATH],
      answers: OVERLOAD_ANSWERS,
      onRefusal: metrics.overloaded,
    }),
    maxConnections: config.maxConnections,
    onDrop: metrics.connectionDropped,
  });
  const { app } = web;
  stampRequests(app);
  const identity = { name: "rostrum", title: "Rostrum", version: VERSION };
  const toolbox = createToolbox(operations);
  mountMcp(app, {
    operations,
    invoke,
    authenticate,
    authLog,
    connections,
    limits,
    refuse,
    log,
    toolbox,
    identity,
    url,
    tracing,
  });
  mountReference(app, operations);
  const pages = mountConsole(app, {
    operations,
    invoke,
    signInService,
    clients,
    connections,
    clock,
    log,
    publicUrl,
    url,
    isLocalOnly: isLocalOnly(config),
    isUnavailable: store.isUnavailable,
    version: store.version,
  });
  mountOAuth(app, {
    clients,
    connections,
    store,
    log,
    grants: createGrants({ store, asSystem }),
    limits: createConnectLimits(store.counters),
    url,
    readsDocuments: config.oauthClientDocuments === "on",
  });
  mountUnsubscribe(app, { path: UNSUBSCRIBE_PATH, read: optOuts.readToken, unsubscribe: optOuts.unsubscribe, log });
  mountHealth(app, readiness);
  if (config.metricsToken !== undefined) mountMetrics(app, metrics, config.metricsToken);
  mountErrorHandlers(app, log);
  return { web, pages };
}

/** Where MCP clients connect. */
const CONNECTING = [MCP_PATH, "/oauth/", ...METADATA_PATHS];

const OVERLOADED_PAGE: Omit<OverloadAnswer, "under"> = {
  body: staticPage(
    "The server is busy",
    "The server has too many requests. Nothing was changed. Try again in a moment.",
  ),
  headers: { "content-type": "text/html; charset=utf-8" },
};

/** How an overloaded server answers where it does not by the failure envelope. */
const OVERLOAD_ANSWERS: readonly OverloadAnswer[] = [
  { under: MCP_PATH, ...OVERLOADED_ENVELOPE, body: refusalMessage(OVERLOADED, OVERLOADED_ENVELOPE.body) },
  { under: MEMBER_API_PREFIX, ...OVERLOADED_ENVELOPE },
  { under: "/console", ...OVERLOADED_PAGE },
  { under: UNSUBSCRIBE_PATH, ...OVERLOADED_PAGE },
];
