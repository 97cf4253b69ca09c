import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import {
  BrandVoice,
  ProfileFacts,
  SocialConnection,
  toBrandVoice,
  toConnection,
  toProfileFacts,
} from "./voice-schema.ts";

export const getVoice = personOperation({
  name: "get_voice",
  area: "checklist",
  title: "Get brand voice and facts",
  description:
    "Reads the brand voice, the profile facts and the status of each channel, with who saved each and when. " +
    "Agents read them in the context of an item.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    brand_voice: BrandVoice.nullable(),
    profile_facts: ProfileFacts.nullable(),
    social_connections: z.array(SocialConnection).describe("One for each channel that has been saved."),
  }),
  async handler({ store: { voice } }) {
    const facts = await voice.profileFacts();
    const data = {
      brand_voice: toBrandVoice(await voice.brandVoice()),
      profile_facts: facts === undefined ? null : toProfileFacts(facts),
      social_connections: (await voice.socialConnections()).map(toConnection),
    };
    return { data };
  },
});
