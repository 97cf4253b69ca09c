import type { Database } from "better-sqlite3";
import type { KeyCredential, Workspace } from "../access.ts";
import type { PipelineStore, Store } from "../store.ts";
import { prepareAccounts, SqliteAccounts } from "./accounts.ts";
import { prepareActivities, SqliteActivities } from "./activities.ts";
import { prepareAnswers, SqliteAnswers } from "./answers.ts";
import { prepareApprovals, SqliteApprovals } from "./approvals.ts";
import { prepareBant, SqliteBant } from "./bant.ts";
import { prepareBrain, SqliteBrain } from "./brain.ts";
import { prepareCards, SqliteCards } from "./cards.ts";
import { prepareChecklist, SqliteChecklist } from "./checklist.ts";
import { type Drizzle, withDrizzle } from "./connection.ts";
import { prepareClients, prepareClientsReader, prepareConnectors, SqliteConnectors } from "./connectors.ts";
import { prepareContacts, SqliteContacts } from "./contacts.ts";
import { prepareDeals, SqliteDeals } from "./deals.ts";
import { prepareDeliveries, SqliteDeliveries } from "./deliveries.ts";
import { prepareEnrollments, SqliteEnrollments } from "./enrollments.ts";
import { prepareHousekeeping } from "./housekeeping.ts";
import { SqliteImports } from "./imports.ts";
import { prepareKeyLookup, prepareKeys, SqliteKeys } from "./keys.ts";
import { prepareLogs, SqliteLogs } from "./logs.ts";
import { sealedBy } from "./maintenance.ts";
import { prepareMeetings, SqliteMeetings } from "./meetings.ts";
import { prepareMembers, SqliteMembers } from "./members.ts";
import { migrateDatabase } from "./migrate.ts";
import { prepareNoticeReader, prepareNotices } from "./notices.ts";
import { isUnavailable, openReader, openWriter, startServing } from "./open.ts";
import { prepareOutbox, prepareOutboxReader } from "./outbox.ts";
import { preparePeople, preparePeopleReader } from "./people.ts";
import { preparePosts, SqlitePosts } from "./posts.ts";
import { watchPresence } from "./presence.ts";
import { prepareReviewQueue, SqliteReviewQueue } from "./review-queue.ts";
import { prepareCursors, prepareEngineDue, prepareRests, prepareSends, SqliteSends } from "./sends.ts";
import { prepareSequences, SqliteSequences } from "./sequences.ts";
import { prepareSightings, SqliteSightings } from "./sightings.ts";
import { prepareSocialnet, SqliteSocialnetAccounts } from "./socialnet.ts";
import { prepareActions, SqliteSocialnetActions } from "./socialnet-actions.ts";
import { prepareCountAll, prepareSocialnetDue } from "./socialnet-due.ts";
import { prepareReports, SqliteSocialnetReports } from "./socialnet-reports.ts";
import { prepareSubscriptions, SqliteSubscriptions } from "./subscriptions.ts";
import { prepareSuppressions, SqliteSuppressions } from "./suppressions.ts";
import { prepareVoice, SqliteVoice } from "./voice.ts";
import { prepareWebhooks, SqliteWebhooks } from "./webhooks.ts";
import { listAssessmentsDue, listWorkspaces, prepareWorkspaces, SqliteWorkspace } from "./workspaces.ts";
import { Writer } from "./writer.ts";

/** Stores of workspaces that are kept at hand: they hold statements and an id, and making one costs as much as a read. */
const MOST_AT_HAND = 1_000;

/** All statements of one connection, prepared once, and the stores that bind them to a workspace. */
function prepareAll(db: Drizzle): (workspaceId: string) => PipelineStore {
  const contacts = prepareContacts(db);
  const activities = prepareActivities(db);
  const meetings = prepareMeetings(db);
  const bant = prepareBant(db);
  const deals = prepareDeals(db);
  const sequences = prepareSequences(db);
  const approvals = prepareApprovals(db);
  const enrollments = prepareEnrollments(db);
  const suppressions = prepareSuppressions(db);
  const accounts = prepareAccounts(db);
  const brain = prepareBrain(db);
  const workspaces = prepareWorkspaces(db);
  const members = prepareMembers(db);
  const keys = prepareKeys(db);
  const connectors = prepareConnectors(db.$client);
  const logs = prepareLogs(db);
  const subscriptions = prepareSubscriptions(db);
  const webhooks = prepareWebhooks(db);
  const deliveries = prepareDeliveries(db);
  const socialnet = prepareSocialnet(db);
  const actions = prepareActions(db);
  const reports = prepareReports(db);
  const checklist = prepareChecklist(db);
  const cards = prepareCards(db);
  const posts = preparePosts(db);
  const queue = prepareReviewQueue(db.$client);
  const voice = prepareVoice(db);
  const sightings = prepareSightings(db.$client);
  const sends = prepareSends(db);
  const answers = new SqliteAnswers(prepareAnswers(db));
  const bind = (workspaceId: string): PipelineStore => {
    const journal = new SqliteLogs(logs, workspaceId);
    return {
      contacts: new SqliteContacts(contacts, workspaceId),
      activities: new SqliteActivities(activities, workspaceId),
      meetings: new SqliteMeetings(meetings, workspaceId),
      bant: new SqliteBant(bant, workspaceId),
      deals: new SqliteDeals(deals, workspaceId),
      sequences: new SqliteSequences(sequences, workspaceId),
      approvals: new SqliteApprovals(approvals, workspaceId),
      enrollments: new SqliteEnrollments(enrollments, workspaceId),
      suppressions: new SqliteSuppressions(suppressions, workspaceId),
      accounts: new SqliteAccounts(accounts, workspaceId),
      brain: new SqliteBrain(brain, workspaceId),
      workspace: new SqliteWorkspace(workspaces, workspaceId),
      members: new SqliteMembers(members, workspaceId),
      keys: new SqliteKeys(keys, workspaceId),
      connectors: new SqliteConnectors(connectors, workspaceId),
      logs: journal,
      journal,
      imports: new SqliteImports(db, workspaceId),
      subscriptions: new SqliteSubscriptions(subscriptions, workspaceId),
      webhooks: new SqliteWebhooks(webhooks, workspaceId),
      deliveries: new SqliteDeliveries(deliveries, workspaceId),
      socialnetAccounts: new SqliteSocialnetAccounts(socialnet, workspaceId),
      socialnetActions: new SqliteSocialnetActions(actions, workspaceId),
      socialnetReports: new SqliteSocialnetReports(reports, workspaceId),
      checklist: new SqliteChecklist(checklist, workspaceId),
      cards: new SqliteCards(cards, workspaceId),
      posts: new SqlitePosts(posts, workspaceId),
      reviewQueue: new SqliteReviewQueue(queue, workspaceId),
      voice: new SqliteVoice(voice, workspaceId),
      workspaceFacts: new SqliteSightings(sightings, workspaceId),
      sends: new SqliteSends(sends, workspaceId),
      answers,
    };
  };
  const atHand = new Map<string, PipelineStore>();
  return (workspaceId) => {
    let bound = atHand.get(workspaceId);
    if (bound === undefined) {
      if (atHand.size >= MOST_AT_HAND) atHand.clear();
      bound = bind(workspaceId);
      atHand.set(workspaceId, bound);
    }
    return bound;
  };
}

export interface OpenedStore extends Store {
  /** Where the copy was written that an upgrade of the schema makes first. */
  readonly upgradedFrom: string | undefined;
}

/**
 * Opens the database of a data folder, makes it where there is none, and brings its schema up to date.
 *
 * @throws IncompatibleDatabase where a newer or a pre-release Rostrum has written it
 */
export async function openSqliteStore(file: string, now: number = Date.now()): Promise<OpenedStore> {
  const writerDb = openWriter(file);
  try {
    const upgradedFrom = await migrateDatabase(writerDb, file, now);
    startServing(writerDb);
    return serve(file, writerDb, upgradedFrom);
  } catch (error) {
    writerDb.close();
    throw error;
  }
}

function serve(file: string, writerDb: Database, upgradedFrom: string | undefined): OpenedStore {
  const readerDb = openReader(file);
  const reading = withDrizzle(readerDb);
  const read = prepareAll(reading);
  const write = prepareAll(withDrizzle(writerDb));
  const lookup = prepareKeyLookup(reading);
  const housekeeping = prepareHousekeeping(writerDb);
  const peopleReader = preparePeopleReader(readerDb);
  const people = preparePeople(writerDb);
  const clientsReader = prepareClientsReader(readerDb);
  const clients = prepareClients(writerDb);
  const notices = prepareNotices(writerDb);
  const outboxReader = prepareOutboxReader(readerDb);
  const outbox = prepareOutbox(writerDb);
  const countAll = prepareCountAll(writerDb);
  const keepCursor = prepareCursors(writerDb);
  const rests = prepareRests(writerDb);
  const recordedKey = readerDb.prepare<[], string>("SELECT id FROM data_keys").pluck();
  const forgetKeys = writerDb.prepare<[string]>("DELETE FROM data_keys WHERE id <> ?");
  const recordKey = writerDb.prepare<[string, number]>("INSERT INTO data_keys VALUES (?, ?) ON CONFLICT DO NOTHING");
  const pulse = readerDb.prepare(
    "SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1), (SELECT 1 FROM contacts LIMIT 1)",
  );
  const version = readerDb.prepare("PRAGMA data_version").pluck();
  const presence = watchPresence(file);
  const writer = new Writer(writerDb, { check: presence.same });

  return {
    upgradedFrom,
    read,
    write: (workspaceId, job) => writer.run(() => job(write(workspaceId))),
    outbox: {
      ...outboxReader,
      // A lease that the machine forgets is only taken again.
      claim: (claim) => writer.run(() => outbox.claim(claim), { forgettable: true }),
      settle: (settlements) => writer.run(() => outbox.settle(settlements)),
      release: (lease, seqs, now) => writer.run(() => outbox.release(lease, seqs, now)),
      reap: (reaping) => writer.run(() => outbox.reap(reaping)),
    },
    people: {
      ...peopleReader,
      startSession: (session) => writer.run(async () => people.startSession(session)),
      visited: (id, now, over) => writer.run(async () => people.visited(id, now, over), { forgettable: true }),
      seen: (hash, now) => writer.run(async () => people.seen(hash, now), { forgettable: true }),
      endSession: (hash) => writer.run(async () => people.endSession(hash)),
      issue: (...link) => writer.run(async () => people.issue(...link)),
      burn: (...used) => writer.run(async () => people.burn(...used)),
      identify: (identity, moment) => writer.run(async () => people.identify(identity, moment)),
      setUp: (hash, owner, moment) => writer.run(async () => people.setUp(hash, owner, moment)),
      enterDemo: (hash, now) => writer.run(async () => people.enterDemo(hash, now)),
      accept: (hash, by, moment) => writer.run(async () => people.accept(hash, by, moment)),
      resetPassword: (hash, password, now) => writer.run(async () => people.resetPassword(hash, password, now)),
      changePassword: (id, from, to) => writer.run(async () => people.changePassword(id, from, to)),
      prunePeople: (before) => writer.run(async () => people.prunePeople(before)),
    },
    clients: {
      ...clientsReader,
      register: (client, most) => writer.run(async () => clients.register(client, most)),
      pruneClients: (before) => writer.run(async () => clients.pruneClients(before)),
    },
    notices: {
      ...prepareNoticeReader(readerDb),
      askReset: (reset) => writer.run(async () => notices.askReset(reset)),
      claim: (...claim) => writer.run(async () => notices.claim(...claim)),
      retry: (...retry) => writer.run(async () => notices.retry(...retry)),
      settle: (id) => writer.run(async () => notices.settle(id)),
    },
    version: () => version.get() as number,
    socialnetDue: {
      ...prepareSocialnetDue(readerDb),
      countAll: (now) => writer.run(async () => countAll(now)),
    },
    engineDue: {
      ...prepareEngineDue(readerDb),
      beginRest: (...refusal) => writer.run(async () => rests.begin(...refusal)),
      endRest: (...attempt) => writer.run(async () => rests.end(...attempt)),
      keepCursor: (...cursor) => writer.run(async () => keepCursor(...cursor)),
    },
    dataKeys: async () => ({ sealed: sealedBy(readerDb), recorded: recordedKey.get() }),
    recordDataKey: (id, now) =>
      writer.run(async () => {
        forgetKeys.run(id);
        recordKey.run(id, now);
      }),
    findKey: async (hash): Promise<KeyCredential | undefined> => {
      presence.glance();
      return lookup(hash);
    },
    workspaces: async (): Promise<Workspace[]> => listWorkspaces(reading),
    assessmentsDue: async (...asked) => listAssessmentsDue(reading, ...asked),
    recordUse: (lastUsed, events) => writer.run(async () => housekeeping.recordUse(lastUsed, events)),
    prune: (before) => writer.run(async () => housekeeping.prune(before)),
    isUnavailable,
    get queueDepth() {
      return writer.depth;
    },
    ping: async () => {
      presence.sound();
      pulse.get();
    },
    close: async () => {
      await writer.idle();
      readerDb.close();
      try {
        if (writerDb.open) writerDb.pragma("wal_checkpoint(TRUNCATE)");
      } catch {
        // All that was acknowledged is in the -wal, and the next start reads it there.
      } finally {
        writerDb.close();
      }
    },
  };
}
