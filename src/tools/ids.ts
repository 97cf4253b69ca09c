import { z } from "zod";

/** The id of a record: a UUID of any version, in either letter case. */
export function recordId(of: string) {
  return z
    .guid({ error: "is not a UUID" })
    .toLowerCase()
    .meta({ format: "uuid", description: `The ${of}'s id, a UUID.` });
}
