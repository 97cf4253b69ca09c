/** Where a team publishes, by the name on the wire. `socialnet` is the professional network. */
export const CHANNELS = {
  blog: "Blog",
  socialnet: "Professional network",
  x: "X",
  facebook: "Facebook",
  instagram: "Instagram",
  threads: "Threads",
  bluesky: "Bluesky",
  tiktok: "TikTok",
  youtube: "YouTube",
  pinterest: "Pinterest",
} as const;
export type Channel = keyof typeof CHANNELS;

export const ALL_CHANNELS = Object.keys(CHANNELS) as [Channel, ...Channel[]];

const PLACES: Partial<Record<Channel, string>> = { blog: "your blog", socialnet: "the professional network" };

/** A channel in a sentence, after "on". */
export const channelPlace = (channel: Channel): string => PLACES[channel] ?? CHANNELS[channel];

/** The labels of the channels, in the order of the list above. */
export function platformsLabel(channels: readonly Channel[]): string {
  if (channels.length === 0) return "No specific channel";
  if (channels.length === ALL_CHANNELS.length) return "All channels";
  return ALL_CHANNELS.filter((channel) => channels.includes(channel))
    .map((channel) => CHANNELS[channel])
    .join(", ");
}

/** The state of an account on a channel, as a member recorded it. */
export const CONNECTION_STATES = ["connected", "expired", "disconnected"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];
