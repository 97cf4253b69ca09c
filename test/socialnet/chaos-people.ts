import { person, type World } from "./chaos-world.ts";

const ACTS = { hold: 6, release: 7, edit: 6, approve: 8, cancel: 1, settle: 14, suppress: 1 };
/** Someone or something else was first. */
const TOO_LATE = ["action_not_movable"];
const NOT_NOW = [...TOO_LATE, "version_conflict", "contact_suppressed"];

/** What people do meanwhile: each reads the ledger and decides on one action. */
export class People {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  act(): Promise<void> {
    return this[this.#world.random.weighted(ACTS)]();
  }

  async hold(): Promise<void> {
    const action = await this.#find("planned", "approved");
    if (action) await this.#call("hold", { action_id: action.id, note: "Wait." }, TOO_LATE);
  }

  async release(): Promise<void> {
    const action = await this.#find("held");
    if (action) await this.#call("release", { action_id: action.id }, TOO_LATE);
  }

  async edit(): Promise<void> {
    const action = await this.#find("planned", "approved", "claimed", "held");
    if (!action) return;
    const edited = await this.#call("edit", { action_id: action.id, copy: `${action.copy}!` }, TOO_LATE);
    if (edited?.status === "planned" && this.#world.random.chance(0.8)) await this.approve(edited);
  }

  async approve(given?: any): Promise<void> {
    const action = given ?? (await this.#find("planned"));
    if (!action) return;
    const { id, copy, copy_hash } = action;
    const { approved } = this.#world.acknowledged;
    // Recorded before the call: the server may act on it before its answer is read.
    approved.set(id, (approved.get(id) ?? new Set()).add(copy));
    await this.#call("approve", { action_id: id, copy_hash }, NOT_NOW);
  }

  async cancel(): Promise<void> {
    const action = await this.#find("planned", "approved", "claimed", "held");
    if (action) await this.#call("cancel", { action_id: action.id, note: "No more." }, TOO_LATE);
  }

  /** Checks the network before settling an action. */
  async settle(): Promise<void> {
    const action = await this.#find("needs_review");
    if (!action) return;
    const { network, random } = this.#world;
    const outcome = network.shows(action.id) ? "sent" : random.chance(0.6) ? "retry" : "not_sent";
    await this.#call("settle", { action_id: action.id, outcome, note: "Looked." }, TOO_LATE);
  }

  async suppress(): Promise<void> {
    const contact = this.#world.random.pick(this.#world.contacts);
    if (contact) await person(this.#world, "add_suppression", { email: contact.email, reason: "asked" });
  }

  /** Whether an action has one of these statuses. */
  async see(...statuses: string[]): Promise<boolean> {
    for (const status of statuses) {
      if ((await person(this.#world, "list_planned_actions", { status, limit: 1 })).length > 0) return true;
    }
    return false;
  }

  async #find(...statuses: string[]): Promise<any> {
    const { random } = this.#world;
    const status = random.pick(statuses);
    return random.pick(await person(this.#world, "list_planned_actions", { status, limit: 100 }));
  }

  #call(verb: string, input: object, mayRefuse: readonly string[]): Promise<any> {
    return person(this.#world, `${verb}_socialnet_action`, input, mayRefuse);
  }
}
