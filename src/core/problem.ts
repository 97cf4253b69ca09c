/**
 * Every way an operation can refuse: one closed table of stable codes, each with the HTTP status it carries.
 * A handler throws `problem("contact_not_found", …)`; adapters only translate. Clients branch on the code.
 */
export const problems = {
  bad_request: { status: 400, means: "The request is not valid HTTP." },
  invalid_json: { status: 400, means: "The body is not JSON that can be read." },
  invalid_id: { status: 400, means: "An id in the path is malformed." },
  validation_failed: { status: 400, means: "A field of the body or the query is wrong; the message names it." },
  delivery_mode_unsupported: { status: 400, means: "Events are delivered by webhook alone." },
  bant_required: { status: 400, means: "The move needs a BANT assessment that a member has confirmed." },
  missing_key: { status: 401, means: "No Authorization header, or its token is not shaped like a key." },
  invalid_key: { status: 401, means: "The key matches none." },
  revoked_key: { status: 401, means: "The key was revoked." },
  expired_key: { status: 401, means: "The key has expired." },
  billing_read_only: { status: 402, means: "The workspace is read-only for billing reasons; the message says which." },
  not_signed_in: { status: 401, means: "No session of a member; sign in to the console." },
  wrong_credentials: { status: 401, means: "No account has this e-mail address and password." },
  link_spent: { status: 410, means: "The link was used, or has run out." },
  insufficient_scope: { status: 403, means: "The caller lacks the scope or permission that the message names." },
  force_not_permitted: { status: 403, means: "Nobody can force a gated change." },
  subscription_forbidden: { status: 403, means: "The key may not subscribe to this; the reason says why." },
  host_not_allowed: { status: 403, means: "The Host header does not name this server." },
  origin_not_allowed: { status: 403, means: "The Origin header names another site." },
  route_not_found: { status: 404, means: "No operation lives at this path." },
  contact_not_found: { status: 404, means: "No live contact of this workspace has this id." },
  account_not_found: { status: 404, means: "No account of this workspace has this id." },
  event_not_found: { status: 404, means: "No event has this name." },
  webhook_not_found: { status: 404, means: "No webhook of this workspace has this id." },
  delivery_not_found: { status: 404, means: "No delivery of this workspace has this id." },
  socialnet_account_not_found: { status: 404, means: "No socialnet account of this workspace has this id." },
  action_not_found: { status: 404, means: "No action of this workspace, or of the key's account, has this id." },
  client_not_found: { status: 404, means: "No MCP client is known by this id, or its document cannot be read." },
  key_not_found: { status: 404, means: "No key of this workspace has this id." },
  deal_not_found: { status: 404, means: "No deal of this workspace has this id." },
  sequence_not_found: { status: 404, means: "No sequence of this workspace has this id." },
  approval_not_found: { status: 404, means: "No approval of this workspace has this id." },
  enrollment_not_found: { status: 404, means: "No enrollment of this workspace has this id." },
  resource_not_found: { status: 404, means: "The key can read no resource of this uri. See resources/list." },
  item_not_found: { status: 404, means: "The checklist's catalog has no item of this id." },
  card_not_found: { status: 404, means: "No approval card of this workspace has this id." },
  post_not_found: { status: 404, means: "No post of this workspace has this id." },
  send_not_found: { status: 404, means: "No message of this workspace has this id." },
  member_not_found: { status: 404, means: "No member of this workspace is known by this." },
  method_not_allowed: { status: 405, means: "The path exists, the method does not; see the Allow header." },
  request_timeout: { status: 408, means: "The request did not arrive in time." },
  email_conflict: { status: 409, means: "Another live contact of this workspace has this e-mail address." },
  import_out_of_step: { status: 409, means: "The import continues at another row than the one sent." },
  sequence_not_authorized: { status: 409, means: "No applied approval covers the sequence as it reads now." },
  contact_not_authorized: { status: 409, means: "The contact is outside the approved audience of the sequence." },
  company_confirmation_required: { status: 409, means: "The contact has no company on record." },
  contact_suppressed: { status: 409, means: "The contact's address is on the do-not-contact list." },
  already_enrolled: { status: 409, means: "The contact is on its way through this sequence already." },
  version_conflict: { status: 409, means: "It has changed since; read it again and decide anew." },
  member_exists: { status: 409, means: "A member of this workspace has this e-mail address already." },
  last_administrator: { status: 409, means: "A workspace keeps at least one administrator." },
  socialnet_refused: {
    status: 409,
    means: "The agent cannot do this now; the reason says why, and where time will help, nextWindowAt says when.",
  },
  already_planned: { status: 409, means: "The same is planned for this contact already." },
  steps_reached: { status: 409, means: "Contacts on their way have reached a step that the edit moves or takes away." },
  enrollment_not_held: { status: 409, means: "The enrollment waits for nobody." },
  enrollment_ended: { status: 409, means: "The contact's way through the sequence is over." },
  send_not_unknown: { status: 409, means: "What became of the message is known." },
  action_not_movable: { status: 409, means: "The action's status does not allow this; the message says what it is." },
  card_waiting: { status: 409, means: "A card of this item waits for a person; wait for the decision." },
  output_kind_not_accepted: { status: 409, means: "The item does not take this kind of output." },
  approval_required: { status: 409, means: "The item is no observation item: evidence does not close it." },
  detected_by_service: { status: 409, means: "The service tells by itself whether the item is done." },
  detected_mark: { status: 409, means: "The service has marked the item itself." },
  person_mark: { status: 409, means: "A person has marked the item; that stands." },
  already_decided: { status: 409, means: "A person has decided already, and that stands." },
  own_proposal: {
    status: 409,
    means:
      "This workspace does not let people approve what they, their keys or their agents proposed. Ask another member.",
  },
  post_not_approved: { status: 409, means: "Only an approved post can be said to be published or cancelled." },
  delivery_not_resendable: { status: 409, means: "Nobody is left to send it to: the subscription has ended." },
  payload_too_large: { status: 413, means: "The body is larger than 256 KiB." },
  unsupported_media_type: { status: 415, means: "The body is not sent as application/json in UTF-8." },
  expectation_failed: { status: 417, means: "The server meets no expectation but 100-continue." },
  callback_failed: { status: 422, means: "The callback address did not answer the challenge; the reason says how." },
  stage_not_adjacent: { status: 422, means: "A lifecycle moves one step at a time." },
  meeting_required: { status: 422, means: "The stage needs a meeting that a member has confirmed." },
  won_deal_required: { status: 422, means: "The stage needs a deal at closed_won." },
  WORKSPACE_PAUSED: { status: 423, means: "Outreach of this workspace is paused, or the pause cannot be read." },
  outbound_gate_closed: {
    status: 423,
    means: "This server sends nothing out. Whoever runs it opens the gate with ROSTRUM_OUTBOUND_GATE=open.",
  },
  headers_too_large: { status: 431, means: "The headers of the request are too large." },
  rate_limited: { status: 429, means: "Too many requests; retry after the seconds in Retry-After." },
  subscription_limit: { status: 429, means: "As many subscriptions as there may be; end one first." },
  challenge_limit: { status: 429, means: "Too many challenges to this host; try again in a minute." },
  quota_exceeded_contacts: { status: 429, means: "The plan's contact allowance is used up; waiting does not help." },
  internal_error: { status: 500, means: "Something unexpected; the correlation id finds it in the server's log." },
  provider_failed: { status: 502, means: "The provider of single sign-on did not answer as it has to." },
  overloaded: {
    status: 503,
    means:
      "The server has more requests than it can answer now. Nothing was done; retry after the seconds in Retry-After.",
  },
  db_unavailable: { status: 503, means: "The database cannot be reached; retry shortly." },
} as const satisfies Record<string, { status: number; means: string }>;

export type ProblemCode = keyof typeof problems;

/** Answered without code and data, as the contract has it for socialnet actions: `{ error, reason, nextWindowAt? }`. */
export function isBare(code: ProblemCode): boolean {
  return code === "socialnet_refused";
}

interface ProblemDetail {
  /** For the log alone. */
  cause?: unknown;
  /** Further public members of the failure envelope, such as `quota`. */
  extra?: Record<string, unknown>;
  /** Whole seconds, at least 1, for the Retry-After header. */
  retryAfter?: number;
  /** Of an input with faults: each fault that the message names, as a message of its own. */
  faults?: readonly string[];
}

/** What a 503 says in Retry-After, unless it is known better. */
export const UNAVAILABLE_SECONDS = 5;

/** A refusal. Its message is public: it says what is wrong and how to fix it, and never holds a cause. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly extra: Record<string, unknown> | undefined;
  readonly retryAfter: number | undefined;
  readonly faults: readonly string[];

  constructor(code: ProblemCode, message: string, detail: ProblemDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "Problem";
    this.code = code;
    this.status = problems[code].status;
    this.extra = detail.extra;
    this.retryAfter = detail.retryAfter ?? (this.status === 503 ? UNAVAILABLE_SECONDS : undefined);
    this.faults = detail.faults ?? [message];
  }
}

/** A Problem of the given code; the message defaults to the table's. */
export function problem(code: ProblemCode, message: string = problems[code].means, detail?: ProblemDetail): Problem {
  return new Problem(code, message, detail);
}

/** One refusal for all that is wrong with an input, each fault as `field: what is wrong.` */
export function invalid(faults: readonly string[]): Problem {
  return problem("validation_failed", faults.join(" "), { faults });
}
