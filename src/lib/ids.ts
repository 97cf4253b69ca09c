import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

/** Random bytes drawn in bulk: a system call for each id costs more than all else in making it. */
const pool = new Uint8Array(4_096);
const BYTES = 16;
let drawn = pool.length;

/** Makes an id for a record that comes to be at this moment. */
export function newId(now: number): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += BYTES;
  return v7({ msecs: now, random: pool.subarray(drawn - BYTES, drawn) });
}
