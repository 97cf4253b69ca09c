import {
  type Automation,
  type CatalogItem,
  type EvidenceVerdict,
  OUTPUT_KINDS,
  type PersonAction,
  type Runner,
} from "./checklist-item.ts";

/** A contradiction within one item: the path of the field that is to be mended, and how. */
export interface ItemFault {
  path: readonly PropertyKey[];
  message: string;
}

/** What each automation means for the two who share the work. */
const SHARES: Record<Automation, { runner: readonly Runner[]; person_action: PersonAction }> = {
  auto: { runner: ["assistant", "service"], person_action: "none" },
  ai_draft_human_approves: { runner: ["assistant"], person_action: "approve_change_deny" },
  notify_human: { runner: ["assistant", "service"], person_action: "do" },
  human_only: { runner: ["person"], person_action: "do" },
};

/** Who can have done what each verdict rests on. */
const WITNESSES: Record<EvidenceVerdict, readonly Runner[]> = {
  observation: ["assistant", "person"],
  output: ["assistant"],
  service: ["service", "person"],
  person: ["person"],
};

/** Where the fields of an item contradict each other. */
export function itemFaults(item: CatalogItem): ItemFault[] {
  const { automation, executor, accepts_output_kinds: kinds, detected_by } = item;
  const { evidence_verdict: verdict, runner, person_action: action } = executor;
  const shares = SHARES[automation];
  const faults: ItemFault[] = [];
  const check = (holds: boolean, path: readonly PropertyKey[], message: string) => {
    if (!holds) faults.push({ path, message });
  };
  const once = item.kind === "one_time";
  check(
    (item.frequency === "once") === once,
    ["frequency"],
    once ? "a one-time item (OT) has the frequency once" : "an ongoing item (ON) cannot have the frequency once",
  );
  check(
    shares.person_action === action,
    ["executor", "person_action"],
    `with the automation ${automation} it is ${shares.person_action}`,
  );
  check(
    shares.runner.includes(runner),
    ["executor", "runner"],
    `with the automation ${automation} it is ${shares.runner.join(" or ")}`,
  );
  check(
    WITNESSES[verdict].includes(runner),
    ["executor", "evidence_verdict"],
    `${verdict} cannot be shown where the runner is the ${runner}`,
  );
  check(
    (verdict === "output") === (action === "approve_change_deny"),
    ["executor", "evidence_verdict"],
    "output goes with the person's action approve_change_deny, and the other way round",
  );
  check(
    (verdict === "output") === kinds.length > 0,
    ["accepts_output_kinds"],
    verdict === "output"
      ? `an item whose person approves, changes or denies takes ${OUTPUT_KINDS.join(" or ")}`
      : "only an item with the evidence verdict output takes outputs; leave it out",
  );
  check(new Set(kinds).size === kinds.length, ["accepts_output_kinds"], "names a kind twice");
  check(
    verdict !== "service" || detected_by !== null,
    ["detected_by"],
    "an item with the evidence verdict service names the check that sees it",
  );
  return faults;
}
