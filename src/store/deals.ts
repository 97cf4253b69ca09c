import type { Deal, DealStage } from "../domain/deal.ts";
import type { Page } from "./page.ts";

export interface NewDeal {
  id: string;
  contactId: string;
  title: string;
  value: number;
  currency: string;
  stage: DealStage;
  probability: number | null;
  expectedCloseDate: string | null;
  now: number;
}

export type DealChange = Pick<NewDeal, "stage" | "probability" | "expectedCloseDate" | "now">;

/** A deal beside whom it is with. */
export interface ListedDeal {
  deal: Deal;
  contact: { first_name: string | null; last_name: string | null; email: string | null; company: string | null };
}

/** What the deals of one stage and currency come to. */
export interface DealTotal {
  stage: DealStage;
  currency: string;
  deals: number;
  value: number;
}

/** Values are doubles, kept bit for bit. */
export interface Deals {
  insert(deal: NewDeal): Promise<Deal>;
  /** Those at a stage, newest first; of archived contacts too. */
  list(stage: DealStage, page: Page): Promise<{ rows: ListedDeal[]; total: number }>;
  /** By stage and currency, where there are any. */
  totals(): Promise<DealTotal[]>;
  find(id: string): Promise<Deal | undefined>;
  /** Undefined where the workspace has no deal of this id. */
  change(id: string, change: DealChange): Promise<Deal | undefined>;
}
