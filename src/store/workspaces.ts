import type { Billing } from "../domain/billing.ts";

export interface Plan {
  name: string;
  contactAllowance: number | null;
}

export interface Workspace {
  id: string;
  name: string;
  createdAt: number;
}

/** The workspace's own row: name, billing, plan. */
export interface WorkspaceSettings {
  create(name: string, now: number): Promise<void>;
  billing(): Promise<Billing>;
  plan(): Promise<Plan>;
}
