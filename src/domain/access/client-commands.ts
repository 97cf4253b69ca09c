/** A command-line client that one command connects with an API key. */
export interface ClientCommand {
  id: string;
  name: string;
  /**
   * One line for a shell. Addresses and keys hold no character that double quotes would have to escape.
   *
   * @param entry what the client calls the server; lowercase letters, digits and hyphens
   */
  command(url: string, key: string, entry?: string): string;
  /** The environment variable that the client reads the key from whenever it runs; undefined if it stores the key. */
  variable?(entry?: string): string;
}

/** A client without such a command: what a person does in it. */
export interface ClientSteps {
  id: string;
  name: string;
  steps: readonly string[];
  /** The settings to paste, where the client takes a key. Other clients take the address, and sign in. */
  settings?(url: string, key: string, entry?: string): string;
}

const ENTRY = "rostrum";

// Several clients take every word after --header as another header, so it comes last.
const header = (key: string) => `--header "Authorization: Bearer ${key}"`;
// Not ROSTRUM_…: the server warns of variables that begin so and are none of its settings.
const keyVariable = (entry = ENTRY) => `MCP_KEY_${entry.toUpperCase().replaceAll("-", "_")}`;

export const CLIENT_COMMANDS: readonly ClientCommand[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    command: (url, key, entry = ENTRY) =>
      `claude mcp add ${entry} "${url}" --scope user --transport http ${header(key)}`,
  },
  {
    id: "codex",
    name: "Codex CLI",
    command: (url, key, entry = ENTRY) =>
      `export ${keyVariable(entry)}="${key}" && codex mcp add ${entry} --url "${url}" --bearer-token-env-var ${keyVariable(entry)}`,
    variable: keyVariable,
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    command: (url, key, entry = ENTRY) =>
      `gemini mcp add ${entry} "${url}" --scope user --transport http ${header(key)}`,
  },
  {
    id: "opencode",
    name: "opencode",
    command: (url, key, entry = ENTRY) =>
      `opencode mcp add ${entry} --url "${url}" --header "Authorization=Bearer ${key}"`,
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    command: (url, key, entry = ENTRY) => `copilot mcp add ${entry} "${url}" --transport http ${header(key)}`,
  },
];

const withKey = (url: string, key: string) => ({ url, headers: { Authorization: `Bearer ${key}` } });

const PUBLIC_ADDRESS = "Ask your server admin to set ROSTRUM_PUBLIC_URL to a public https URL and restart the server.";

const SIGNED_IN =
  "The client can now read and send the actions of this social account, and nothing else. For contacts and deals, use a client that supports API keys.";

export const CLIENT_STEPS: readonly ClientSteps[] = [
  {
    id: "vscode",
    name: "VS Code",
    steps: [
      "Run MCP: Open User Configuration from the Command Palette.",
      "Add the settings below and save the file.",
      "Select Start above the entry. Copilot Chat lists the tools in agent mode.",
    ],
    settings: (url, key, entry = ENTRY) =>
      JSON.stringify({ servers: { [entry]: { type: "http", ...withKey(url, key) } } }, null, 2),
  },
  {
    id: "cursor",
    name: "Cursor",
    steps: [
      "Open Cursor Settings, then the page for MCP servers, and select New MCP server.",
      "Add the settings below to mcp.json and save the file.",
      "Return to the page. The server shows its tools.",
    ],
    settings: (url, key, entry = ENTRY) => JSON.stringify({ mcpServers: { [entry]: withKey(url, key) } }, null, 2),
  },
  {
    id: "chatgpt",
    name: "ChatGPT",
    steps: [
      PUBLIC_ADDRESS,
      "Turn on developer mode in the settings for apps and connectors.",
      "Create a connector with the address of the MCP endpoint, and choose OAuth. ChatGPT doesn't support API keys.",
      "Sign in to Rostrum, choose the social account that the client acts for, and approve the client.",
      SIGNED_IN,
    ],
  },
  {
    id: "claude-web",
    name: "Claude on the web",
    steps: [
      PUBLIC_ADDRESS,
      "Open Settings, then Connectors, and select Add custom connector.",
      "Enter the address of the MCP endpoint. Leave the advanced settings blank.",
      "Select Connect, sign in to Rostrum, choose the social account that the client acts for, and approve the client.",
      SIGNED_IN,
    ],
  },
];
