/** @jsxRuntime automatic @jsxImportSource preact */

import { DAY_MS } from "../../../lib/time.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Choices, Select } from "../../ui/fields.tsx";
import { amount } from "../../ui/format.ts";
import { Mark } from "../../ui/mark.tsx";

type DealOwner = DataOf<"get_deal_record">["owner"];

export function Owner({ of }: { of: DealOwner }) {
  if (of === null) return <span class="quiet">No owner</span>;
  return (
    <span class="named">
      <Mark name={of.name} small /> {of.name}
    </span>
  );
}

/** Chooses the owner from the members. */
export function OwnerField({ members, owner }: { members: ReadonlyMap<string, string>; owner: DealOwner }) {
  // A large team may have more members than the list shows.
  const all = new Map([...members, ...(owner === null ? [] : [[owner.id, owner.name] as const])]);
  return (
    <Select
      name="owner_id"
      kind="nullable"
      label="Owner"
      value={owner?.id ?? ""}
      choices={[{ value: "", label: "No owner" }, ...[...all].map(([value, label]) => ({ value, label }))]}
    />
  );
}

/** Filters by owner: all deals, or the member's own. */
export function OwnerFilter() {
  return (
    <Choices
      label="Owner"
      name="owner"
      choices={[
        { value: undefined, name: "All" },
        { value: "mine", name: "Mine" },
      ]}
    />
  );
}

/** How long a deal has been at its stage: `12 days`. */
export function StageAge({ since }: { since: string }) {
  const days = Math.floor((usePageContext().now - Date.parse(since)) / DAY_MS);
  return <>{days < 1 ? "Less than a day" : days === 1 ? "1 day" : `${amount(days)} days`}</>;
}
