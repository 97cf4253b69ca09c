import { v7 } from "uuid";

/** Makes an id for a record that comes to be at this moment. */
export function newId(now: number): string {
  return v7({ msecs: now });
}
