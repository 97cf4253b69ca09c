import type { PipelineStore, Store } from "../store.ts";
import { findKey, keys, members, workspace, workspaces } from "./access.ts";
import { accounts } from "./accounts.ts";
import { activities } from "./activities.ts";
import { approvals } from "./approvals.ts";
import { backlog } from "./backlog.ts";
import { brain } from "./brain.ts";
import { cards, posts } from "./cards-and-posts.ts";
import { checklist } from "./checklist.ts";
import { clients, connectors } from "./connectors.ts";
import { contacts, imports } from "./contacts.ts";
import { dataKeys } from "./data-keys.ts";
import { deals } from "./deals.ts";
import { enrollments } from "./enrollments.ts";
import { deliveries, subscriptions, webhooks } from "./events.ts";
import { housekeeping } from "./housekeeping.ts";
import { conversations, emailAnswers } from "./inbox.ts";
import { leases } from "./leases.ts";
import { answers, journal, logs } from "./logs.ts";
import { bant, meetings } from "./meetings-and-bant.ts";
import { notices } from "./notifications.ts";
import { outbox } from "./outbox.ts";
import { people } from "./people.ts";
import { reviewQueue } from "./review-queue.ts";
import { engineDue, sends } from "./sends.ts";
import { sequences } from "./sequences.ts";
import { serverSettings } from "./server-settings.ts";
import { socialnetAccounts } from "./socialnet-accounts.ts";
import { socialnetActions, socialnetDue } from "./socialnet-actions.ts";
import { socialnetReports } from "./socialnet-reports.ts";
import { type Connections, type Db, ofEach } from "./statement.ts";
import { suppressions } from "./suppressions.ts";
import { voice } from "./voice.ts";
import { finder, wordIndex } from "./words.ts";
import { workspaceFacts } from "./workspace-facts.ts";

/** How many workspaces' stores are cached. */
const MAX_BOUND = 1_000;

type Areas = { [Name in keyof PipelineStore]: (db: Db) => (workspaceId: string) => PipelineStore[Name] };

const AREAS: Areas = {
  contacts,
  activities,
  meetings,
  bant,
  deals,
  sequences,
  approvals,
  enrollments,
  sends,
  suppressions,
  conversations,
  emailAnswers,
  accounts,
  brain,
  workspace,
  members,
  keys,
  connectors,
  logs,
  journal,
  answers,
  imports,
  subscriptions,
  webhooks,
  deliveries,
  socialnetAccounts,
  socialnetActions,
  socialnetReports,
  checklist,
  cards,
  posts,
  reviewQueue,
  voice,
  workspaceFacts,
  finder,
};

/** The areas of one workspace. Each is bound when it is first asked for. */
class BoundStore {
  readonly #workspaceId: string;
  readonly #areas: Record<string, unknown> = {};

  constructor(workspaceId: string, areas: PropertyDescriptorMap) {
    this.#workspaceId = workspaceId;
    Object.defineProperties(this, areas);
  }

  static area(name: string, bind: (workspaceId: string) => unknown): PropertyDescriptor {
    return {
      enumerable: true,
      get(this: BoundStore) {
        this.#areas[name] ??= bind(this.#workspaceId);
        return this.#areas[name];
      },
    };
  }
}

/** The stores of all workspaces over one connection. They share its statements. */
function workspaceStores(db: Db): (workspaceId: string) => PipelineStore {
  const areas = Object.entries(AREAS).map(([name, area]) => {
    let binder: ((workspaceId: string) => unknown) | undefined;
    const bind = (workspaceId: string) => {
      binder ??= area(db);
      return binder(workspaceId);
    };
    return [name, BoundStore.area(name, bind)] as const;
  });
  const accessors: PropertyDescriptorMap = Object.fromEntries(areas);
  const stores = new Map<string, PipelineStore>();
  return (workspaceId) => {
    let store = stores.get(workspaceId);
    if (store === undefined) {
      if (stores.size >= MAX_BOUND) stores.clear();
      store = new BoundStore(workspaceId, accessors) as unknown as PipelineStore;
      stores.set(workspaceId, store);
    }
    return store;
  };
}

/** What only the engine can say of itself. */
type EngineOwn = "version" | "isUnavailable" | "queueDepth" | "ping" | "close";

/**
 * The whole store over the connections of an engine.
 *
 * @param check throws where the database cannot be served any more; every call of a key begins with it
 */
export function createStore(connections: Connections, check: () => void): Omit<Store, EngineOwn> {
  const { reader, run } = connections;
  const bound = ofEach(workspaceStores);
  const lookUp = findKey(reader);
  const kept = ofEach(housekeeping);
  return {
    read: workspaceStores(reader),
    write: (workspaceId, job) => run((writer) => job(bound(writer)(workspaceId)), { workspaceId }),
    findKey: async (hash) => {
      check();
      return lookUp(hash);
    },
    outbox: outbox(connections),
    people: people(connections),
    clients: clients(connections),
    notices: notices(connections),
    leases: leases(connections),
    socialnetDue: socialnetDue(connections),
    engineDue: engineDue(connections),
    wordIndex: wordIndex(connections),
    ...dataKeys(connections),
    ...serverSettings(connections),
    ...workspaces(reader),
    recordUse: (...used) => run((writer) => kept(writer).recordUse(...used)),
    trimAuthEvents: (...trimmed) => run((writer) => kept(writer).trimAuthEvents(...trimmed)),
    backlog: backlog(reader),
    prune: (before) => run((writer) => kept(writer).prune(before)),
  };
}
