import { createHash } from "node:crypto";
import { copyText, type Recipient, type Step, stepsText } from "../domain/sequence.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** What an approval pins of a sequence. */
export function hashSteps(steps: readonly Step[]): string {
  return sha256(stepsText(steps));
}

/** What an approval pins of a contact. */
export function hashCopy(recipient: Recipient, steps: readonly Step[]): string {
  return sha256(copyText(recipient, steps));
}
