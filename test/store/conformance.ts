import { describe } from "node:test";
import { accountsConform } from "./conformance/accounts.ts";
import { activitiesConform } from "./conformance/activities.ts";
import { brainConforms } from "./conformance/brain.ts";
import { checklistConforms } from "./conformance/checklist.ts";
import { confirmationsConform } from "./conformance/confirmations.ts";
import { connectorsConform } from "./conformance/connectors.ts";
import { contactsConform } from "./conformance/contacts.ts";
import { dealsConform } from "./conformance/deals.ts";
import { enrollmentsConform } from "./conformance/enrollments.ts";
import { eventsConform } from "./conformance/events.ts";
import { expiryConforms } from "./conformance/expiry.ts";
import type { OpenStore } from "./conformance/fixtures.ts";
import { leasesConform } from "./conformance/leases.ts";
import { membersConform } from "./conformance/members.ts";
import { outboxConforms } from "./conformance/outbox.ts";
import { pagesConform } from "./conformance/pages.ts";
import { recordsConform } from "./conformance/records.ts";
import { searchConforms } from "./conformance/search.ts";
import { sendsConform } from "./conformance/sends.ts";
import { sequencesConform } from "./conformance/sequences.ts";
import { socialnetAccountsConform } from "./conformance/socialnet-accounts.ts";
import { socialnetActionsConform } from "./conformance/socialnet-actions.ts";
import { socialnetReportsConform } from "./conformance/socialnet-reports.ts";
import { pauseConforms, suppressionsConform } from "./conformance/suppressions.ts";
import { workspacesConform } from "./conformance/workspaces.ts";
import { writesConform } from "./conformance/writes.ts";

/** What every engine behind the store's interfaces must do. A second engine is done when this passes. */
export function storeConforms(engine: string, open: OpenStore): void {
  describe(`the ${engine} store`, () => {
    contactsConform(open);
    activitiesConform(open);
    confirmationsConform(open);
    checklistConforms(open);
    dealsConform(open);
    sequencesConform(open);
    enrollmentsConform(open);
    sendsConform(open);
    suppressionsConform(open);
    accountsConform(open);
    brainConforms(open);
    pauseConforms(open);
    membersConform(open);
    connectorsConform(open);
    eventsConform(open);
    outboxConforms(open);
    leasesConform(open);
    pagesConform(open);
    expiryConforms(open);
    recordsConform(open);
    socialnetAccountsConform(open);
    socialnetActionsConform(open);
    socialnetReportsConform(open);
    searchConforms(open);
    workspacesConform(open);
    writesConform(open);
  });
}
