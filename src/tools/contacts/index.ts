import { addContactTags } from "./add-contact-tags.ts";
import { addDeal } from "./add-deal.ts";
import { addSampleContacts } from "./add-sample-contacts.ts";
import { archiveContact } from "./archive-contact.ts";
import { assertContact } from "./assert-contact.ts";
import { brainAccount } from "./brain-account.ts";
import { brainContact } from "./brain-contact.ts";
import { brainOpportunity } from "./brain-opportunity.ts";
import { confirmBant } from "./confirm-bant.ts";
import { confirmCompany } from "./confirm-company.ts";
import { confirmDeal } from "./confirm-deal.ts";
import { confirmMeeting } from "./confirm-meeting.ts";
import { createAccount } from "./create-account.ts";
import { createContact } from "./create-contact.ts";
import { createDeal } from "./create-deal.ts";
import { filterContacts } from "./filter-contacts.ts";
import { findImport } from "./find-import.ts";
import { findRecords } from "./find-records.ts";
import { findSuppressedContacts } from "./find-suppressed-contacts.ts";
import { getAccountRecord } from "./get-account-record.ts";
import { getContact } from "./get-contact.ts";
import { getContactRecord } from "./get-contact-record.ts";
import { getDealRecord } from "./get-deal-record.ts";
import { importContacts } from "./import-contacts.ts";
import { importText } from "./import-text.ts";
import { listAccounts } from "./list-accounts.ts";
import { listActivities } from "./list-activities.ts";
import { listContactTags } from "./list-contact-tags.ts";
import { listContacts } from "./list-contacts.ts";
import { listDealTotals } from "./list-deal-totals.ts";
import { listDeals } from "./list-deals.ts";
import { logActivity } from "./log-activity.ts";
import { previewImport } from "./preview-import.ts";
import { queryContacts } from "./query-contacts.ts";
import { removeSampleContacts } from "./remove-sample-contacts.ts";
import { searchAccounts } from "./search-accounts.ts";
import { searchContacts } from "./search-contacts.ts";
import { setDealStage } from "./set-deal-stage.ts";
import { updateAccount } from "./update-account.ts";
import { updateContact } from "./update-contact.ts";
import { updateDeal } from "./update-deal.ts";

/** Contacts, accounts, activities, deals and the Brain views. */
export const contactsOperations = [
  listContacts,
  createContact,
  assertContact,
  queryContacts,
  getContact,
  updateContact,
  addContactTags,
  logActivity,
  createDeal,
  brainContact,
  brainAccount,
  brainOpportunity,
  searchContacts,
  filterContacts,
  listContactTags,
  findSuppressedContacts,
  getContactRecord,
  listActivities,
  archiveContact,
  previewImport,
  importText,
  addSampleContacts,
  removeSampleContacts,
  confirmMeeting,
  confirmBant,
  confirmCompany,
  confirmDeal,
  listDeals,
  getDealRecord,
  addDeal,
  setDealStage,
  updateDeal,
  listDealTotals,
  importContacts,
  findImport,
  createAccount,
  updateAccount,
  listAccounts,
  searchAccounts,
  getAccountRecord,
  findRecords,
] as const;
