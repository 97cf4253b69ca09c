/**
 * Every way an operation can refuse: one closed table of stable codes, each with the HTTP status it carries.
 * A handler throws `problem("contact_not_found", …)`; adapters only translate. Clients branch on the code.
 */
export const problems = {
  bad_request: { status: 400, means: "The request is not valid HTTP. Check the request line and its headers." },
  invalid_json: { status: 400, means: "The request body is not valid JSON. Send one JSON object." },
  invalid_id: { status: 400, means: "An id in the path is not valid. Use the id from an earlier response." },
  validation_failed: {
    status: 400,
    means: "A field of the request is wrong. The message names the field and how to fix it.",
  },
  delivery_mode_unsupported: {
    status: 400,
    means: "delivery.mode must be webhook. Events are delivered by webhook only.",
  },
  bant_required: {
    status: 400,
    means:
      "No BANT assessment is confirmed. To create a deal, send bant_assessment. To move a contact, ask a teammate to confirm one in the console.",
  },
  missing_key: {
    status: 401,
    means: "The Authorization header has no API key. Send Authorization: Bearer ros_live_….",
  },
  invalid_key: {
    status: 401,
    means: "This API key does not exist. Check that you copied all of it, or create a new one.",
  },
  revoked_key: { status: 401, means: "This API key was revoked. Create a new one." },
  expired_key: { status: 401, means: "This API key has expired. Create a new one." },
  billing_read_only: {
    status: 402,
    means:
      "This workspace is read-only for billing reasons. The message names the reason. Ask an admin to update billing.",
  },
  not_signed_in: { status: 401, means: "You are not signed in. Sign in to the console and try again." },
  wrong_credentials: {
    status: 401,
    means: "The email or password is incorrect. Try again, or select “Forgot your password?”.",
  },
  link_spent: { status: 410, means: "This link was used or has expired. Ask for a new one." },
  insufficient_scope: {
    status: 403,
    means:
      "You don't have the scope or permission that the message names. A key's scopes can't be changed: ask an admin " +
      "for a new key. Members can ask an admin for the permission.",
  },
  force_not_permitted: {
    status: 403,
    means: "force can't be used. Remove it and meet the conditions of the change instead.",
  },
  subscription_forbidden: {
    status: 403,
    means: "This API key can't subscribe to this event. The reason field says why.",
  },
  host_not_allowed: {
    status: 403,
    means: "The Host header names another server. Set ROSTRUM_PUBLIC_URL to the address you use.",
  },
  origin_not_allowed: {
    status: 403,
    means: "The Origin header names a site that can't call this server. Add it to ROSTRUM_CORS_ORIGINS.",
  },
  route_not_found: { status: 404, means: "No operation has this path. See /api/v1/openapi.json." },
  contact_not_found: {
    status: 404,
    means:
      "No contact in this workspace has this id. Check the id. To search, call brain_contact over MCP or POST /contacts/query over REST.",
  },
  account_not_found: { status: 404, means: "No account in this workspace has this id. Check the id and try again." },
  event_not_found: { status: 404, means: "No event has this name. List the names with events/list." },
  webhook_not_found: {
    status: 404,
    means: "No webhook in this workspace has this id. List the ids with list_webhooks.",
  },
  delivery_not_found: {
    status: 404,
    means: "No webhook delivery in this workspace has this id. List the ids with list_deliveries.",
  },
  socialnet_account_not_found: {
    status: 404,
    means: "No social account in this workspace has this id. List the ids with list_socialnet_accounts.",
  },
  action_not_found: {
    status: 404,
    means: "No action that you can see has this id. List the ids with list_socialnet_actions.",
  },
  client_not_found: {
    status: 404,
    means: "No MCP client has this client_id, or its document can't be read. Connect the client again.",
  },
  key_not_found: { status: 404, means: "No API key in this workspace has this id. List the ids with list_keys." },
  deal_not_found: { status: 404, means: "No deal in this workspace has this id. Check the id and try again." },
  sequence_not_found: {
    status: 404,
    means: "No sequence in this workspace has this id. List the ids with list_sequences.",
  },
  approval_not_found: { status: 404, means: "No approval in this workspace has this id. Check the id and try again." },
  enrollment_not_found: {
    status: 404,
    means: "No enrollment in this workspace has this id. List the ids with list_enrollments.",
  },
  resource_not_found: {
    status: 404,
    means: "No resource that this API key can read has this uri. List them with resources/list.",
  },
  item_not_found: {
    status: 404,
    means: "The checklist has no item with this id. List the ids with list_checklist_items.",
  },
  card_not_found: {
    status: 404,
    means: "No document in this workspace has this card id. Check the id and try again.",
  },
  post_not_found: { status: 404, means: "No post in this workspace has this id. Check the id and try again." },
  conversation_not_found: {
    status: 404,
    means: "This contact hasn't written to you. List conversations with list_conversations.",
  },
  answer_not_found: { status: 404, means: "No answer in this workspace has this id. Check the id and try again." },
  send_not_found: { status: 404, means: "No email in this workspace has this id. Check the id and try again." },
  member_not_found: { status: 404, means: "No teammate in this workspace matches. List teammates with list_members." },
  method_not_allowed: {
    status: 405,
    means: "This path does not support the method. Use a method from the Allow header.",
  },
  request_timeout: { status: 408, means: "The request took too long to arrive. Send it again." },
  email_conflict: {
    status: 409,
    means: "email belongs to another contact in this workspace. Update that contact instead.",
  },
  mail_not_configured: {
    status: 409,
    means:
      "No mail server is connected, so emails can't be sent. A super_admin with approve_outbound can connect one under Settings → Email. " +
      'To save the emails to files instead of sending them, set delivery to "files".',
  },
  import_out_of_step: {
    status: 409,
    means: "The server expected a different row. Run the same import command again to resume.",
  },
  sequence_not_authorized: {
    status: 409,
    means:
      "No activated approval covers the current version of this sequence, or the sequence is archived. Ask a teammate " +
      "to approve and activate an audience, or choose another sequence.",
  },
  contact_not_authorized: {
    status: 409,
    means:
      "This contact is not in an activated audience of the sequence. Ask a teammate to approve and activate an audience with this contact.",
  },
  company_confirmation_required: {
    status: 409,
    means: "This contact's company is not confirmed. Ask a teammate to confirm the company in the console.",
  },
  contact_suppressed: { status: 409, means: "This contact is on the do-not-contact list. Do not contact them." },
  already_enrolled: {
    status: 409,
    means: "This contact is already active in this sequence. Wait until the enrollment ends, or stop it.",
  },
  version_conflict: { status: 409, means: "The record changed after you read it. Read it again and decide again." },
  member_exists: {
    status: 409,
    means: "A teammate in this workspace already has this email. Change that teammate instead.",
  },
  last_administrator: {
    status: 409,
    means: "A workspace needs at least one admin. Make another teammate an admin first.",
  },
  socialnet_refused: {
    status: 409,
    means:
      "The agent can't do this now. This response has no data and no code: reason says why, and nextWindowAt says " +
      "when to try again.",
  },
  already_planned: {
    status: 409,
    means: "The same action is already planned for this contact. Use that action instead.",
  },
  steps_reached: {
    status: 409,
    means:
      "Active contacts have already reached a step that this edit moves or deletes. Stop their enrollments, or create a new sequence.",
  },
  enrollment_not_held: { status: 409, means: "This enrollment is not on hold, so there is nothing to release." },
  enrollment_ended: {
    status: 409,
    means:
      "This email can't be retried, because its enrollment has ended or its answer was canceled. Mark it as sent or not_sent.",
  },
  send_not_unknown: {
    status: 409,
    means: "Only an unconfirmed email can be marked. Read this email again for its status.",
  },
  answer_not_open: {
    status: 409,
    means: "This answer was sent, canceled or decided already. Read it again for its status.",
  },
  action_not_movable: {
    status: 409,
    means: "This action's status does not allow the change. The message names the status.",
  },
  card_waiting: {
    status: 409,
    means: "A document for this item needs review. Wait for the decision on that document.",
  },
  output_kind_not_accepted: {
    status: 409,
    means: "output_kind is not accepted for this item. Use one of its accepts_output_kinds.",
  },
  approval_required: {
    status: 409,
    means: "This item takes no evidence. The message says why.",
  },
  detected_by_service: {
    status: 409,
    means: "The server detects this item's status itself. There is nothing to record.",
  },
  detected_mark: { status: 409, means: "The server has set this item's status itself. There is nothing to record." },
  person_mark: { status: 409, means: "A teammate has set this item's status. Ask a teammate to change it." },
  already_decided: {
    status: 409,
    means: "A teammate has already made this decision. Read the record again for the current status.",
  },
  own_proposal: {
    status: 409,
    means:
      "This workspace does not let people approve their own proposals, or those of their API keys and agents. Ask another teammate to decide.",
  },
  post_not_approved: {
    status: 409,
    means: "Only an approved post can be marked as published or canceled. Ask a teammate to approve it first.",
  },
  delivery_not_resendable: {
    status: 409,
    means:
      "The webhook or subscription of this delivery has ended or is suspended. Add it again to get new events. After a " +
      "suspension, you can then resend the delivery.",
  },
  payload_too_large: { status: 413, means: "The request body is larger than 256 KiB. Send less in one request." },
  unsupported_media_type: { status: 415, means: "Content-Type must be application/json in UTF-8." },
  expectation_failed: { status: 417, means: "The Expect header must be 100-continue or absent. Remove the header." },
  callback_failed: {
    status: 422,
    means: "The webhook URL did not answer the challenge. The reason field says what happened.",
  },
  stage_not_adjacent: {
    status: 422,
    means: "A contact moves one stage at a time, in either direction. Move it through the stages in between first.",
  },
  meeting_required: {
    status: 422,
    means:
      "A teammate must confirm a meeting before this contact can become a lead. Log a meeting_booked activity, then ask a teammate to confirm the meeting in the console.",
  },
  won_deal_required: {
    status: 422,
    means:
      "This contact needs a deal at closed_won before it can become a customer. Ask a teammate to move a deal there, or to confirm a won deal.",
  },
  WORKSPACE_PAUSED: {
    status: 423,
    means: "Outreach is paused for this workspace. An admin can resume it in the console.",
  },
  outbound_gate_closed: {
    status: 423,
    means: "Sending is off on this server. The server admin can turn it on with ROSTRUM_OUTBOUND_GATE=open.",
  },
  headers_too_large: { status: 431, means: "The request headers are too large. Send fewer or shorter headers." },
  rate_limited: { status: 429, means: "Too many requests. Retry after the number of seconds in Retry-After." },
  subscription_limit: { status: 429, means: "You've reached the subscription limit. Unsubscribe from one first." },
  challenge_limit: { status: 429, means: "Too many verification requests to this host. Try again in a minute." },
  quota_exceeded_contacts: {
    status: 429,
    means: "The plan's contact limit is reached. Archive contacts, or ask an admin to change the plan.",
  },
  internal_error: {
    status: 500,
    means:
      "Something went wrong on the server. Give the correlationId to the server admin, who can find the cause in the log.",
  },
  provider_failed: {
    status: 502,
    means: "The single sign-on provider did not respond correctly. Try again, or ask your server admin.",
  },
  overloaded: {
    status: 503,
    means: "The server is busy and did nothing with this request. Retry after the number of seconds in Retry-After.",
  },
  backup_unavailable: {
    status: 409,
    means: "This process can't back up the database. Use rostrum backup, or pg_dump for PostgreSQL.",
  },
  db_unavailable: { status: 503, means: "The database is not available. Try again in a few seconds." },
} as const satisfies Record<string, { status: number; means: string }>;

export type ProblemCode = keyof typeof problems;

/** Answered without code and data, as the contract has it for socialnet actions: `{ error, reason, nextWindowAt? }`. */
export function isBare(code: ProblemCode): boolean {
  return code === "socialnet_refused";
}

interface ProblemDetail {
  /** Only for the log. */
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

/** Verbs that continue a field's name to a sentence: `limit: must be 100 or less.` reads `limit must be 100 or less.` */
const VERBS =
  /^([a-zA-Z][\w.-]*): (?=(?:is|are|was|has|have|must|can|can't|cannot|needs?|takes|lies|goes|names|holds|contains|appears|differs|does|doesn't|changed)\b)/;

/** A fault as a sentence: the name of the field, and what is wrong with it. */
export const sentence = (fault: string) => fault.replace(VERBS, "$1 ");

/**
 * A refusal. Its message is public: it says what is wrong and how to fix it, and never holds a cause. A message about one
 * field begins with `field: `, so that a form can show it beside that field. Callers read it as a sentence.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly extra: Record<string, unknown> | undefined;
  readonly retryAfter: number | undefined;
  readonly faults: readonly string[];

  constructor(code: ProblemCode, message: string, detail: ProblemDetail = {}) {
    super(sentence(message), detail.cause === undefined ? undefined : { cause: detail.cause });
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
export function invalid(faults: readonly string[], code: ProblemCode = "validation_failed"): Problem {
  return problem(code, faults.map(sentence).join(" "), { faults });
}
