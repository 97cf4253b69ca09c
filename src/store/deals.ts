import type { Deal, DealStage } from "../domain/deal.ts";

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

/** Values are doubles, kept bit for bit. */
export interface Deals {
  insert(deal: NewDeal): Promise<Deal>;
  find(id: string): Promise<Deal | undefined>;
  /** Undefined where the workspace has no deal of this id. */
  change(id: string, change: DealChange): Promise<Deal | undefined>;
}
