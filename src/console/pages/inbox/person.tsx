/** @jsxRuntime automatic @jsxImportSource preact */

import { OPEN_ENROLLMENT } from "../../../domain/outreach/sequence.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, Facts, Section, Time } from "../../ui/basics.tsx";
import { money } from "../../ui/format.ts";
import { codeLabel, nameOf, revealed, SOCIAL_LABELS, suppressionReason } from "../../ui/labels.ts";
import { EmailLink, PhoneLink, UrlLink } from "../../ui/links.tsx";
import { EnrollmentStatus, Status } from "../../ui/status.tsx";
import type { OpenConversation } from "./labels.ts";

/** How many of each are shown. The contact's page has all of them. */
const SHOWN = 5;

/** The person beside the conversation: who they are, the stage, deals, sequences and what agents do. */
export function PersonPanel({ open }: { open: OpenConversation }) {
  const { href } = usePageContext();
  const { contact, account, lifecycle, deals, enrollments, actions, suppression, social_status } = open;
  return (
    <div>
      <Section title="Person">
        <div class="card stack">
          <p>
            <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>
          </p>
          {suppression !== null && (
            <p>
              <Chip tone="stopped">Do not contact</Chip> {suppressionReason(suppression.reason)},{" "}
              <Time at={suppression.created_at} />
            </p>
          )}
          <Facts
            facts={[
              ["Stage", codeLabel(lifecycle.stage)],
              [
                "Company",
                account === null ? (
                  contact.company && revealed(contact.company)
                ) : (
                  <a href={href(`/accounts/${account.id}`)}>{account.name}</a>
                ),
              ],
              ["Job title", contact.job_title && revealed(contact.job_title)],
              ["Email", contact.email && <EmailLink text={contact.email} />],
              ["Phone", contact.phone && <PhoneLink text={contact.phone} />],
              ["Profile URL", contact.socialnet_url && <UrlLink text={contact.socialnet_url} />],
              ["Professional network", SOCIAL_LABELS[social_status]],
            ]}
          />
        </div>
      </Section>
      <Section title="Deals" action={<AddDeal contactId={contact.id} />}>
        {deals.length === 0 ? (
          <p class="quiet">No deals</p>
        ) : (
          <ul class="people">
            {deals.slice(0, SHOWN).map(({ id, title, value, currency, stage }) => (
              <li key={id}>
                <div>
                  <a href={href(`/deals/${id}`)}>{revealed(title)}</a>
                  <p class="hint">{money(value, currency)}</p>
                </div>
                <Chip>{codeLabel(stage)}</Chip>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Sequences">
        {enrollments.length === 0 ? (
          <p class="quiet">Not enrolled</p>
        ) : (
          <ul class="people">
            {enrollments
              .slice(0, SHOWN)
              .map(({ id, sequence_id, sequence_name, status, held_reason, current_step, due_at, enrolled_at }) => (
                <li key={id}>
                  <div>
                    <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>
                    {OPEN_ENROLLMENT.some((known) => known === status) && (
                      <p class="hint">
                        Step {current_step + 1}
                        {due_at !== null && (
                          <>
                            , <Time at={due_at} />
                          </>
                        )}
                      </p>
                    )}
                  </div>
                  <EnrollmentStatus
                    status={status}
                    held={held_reason !== null}
                    replied={open.last_reply_at >= enrolled_at}
                  />
                </li>
              ))}
          </ul>
        )}
      </Section>
      <Section title="Agents">
        {actions.length === 0 ? (
          <p class="quiet">No social actions for this contact</p>
        ) : (
          <ul class="people">
            {actions.slice(0, SHOWN).map(({ id, account_id, account_label, kind, status }) => (
              <li key={id}>
                <div>
                  <a href={href(`/agents/${account_id}/actions/${id}`)}>
                    {codeLabel(kind)} from {account_label}
                  </a>
                </div>
                <Status of={status} kind="action" />
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}

function AddDeal({ contactId }: { contactId: string }) {
  const { href, may } = usePageContext();
  if (!may("create_deal")) return null;
  return (
    <a class="small" href={href("/deals/new", { contact: contactId })}>
      Add deal
    </a>
  );
}
