/** The command-line clients that `npm run clients` connects, and how each is driven without a person or a model. */
import { CLIENT_COMMANDS } from "../../src/domain/access/client-commands.ts";
import type { PackageName } from "../on-demand.ts";

export interface Addresses {
  /** The MCP endpoint. */
  mcp: string;
  /** The model endpoint, without a path. */
  model: string;
}

export interface Program {
  name: string;
  package: PackageName;
  /** What the program is called on the command line. */
  command: string;
  /** Other packages that its lines call, by command. */
  beside?: Record<string, PackageName>;
  /** Its settings: the model endpoint, and neither telemetry nor updates. */
  env?(at: Addresses): Record<string, string>;
  /** Settings that it reads from files, by their path in the home folder. */
  files?(at: Addresses, key?: string): Record<string, string>;
  /** The line that connects it with a key. Without one, its files do. */
  connect?(mcp: string, key: string): string;
  /** The line by which it works: it asks the model, or calls a tool itself. */
  work(call: { name: string; argument: string }, at: Addresses, key?: string): string;
  /** It asks no model: it is told which tool to call. */
  direct?: true;
  signIn: SignIn | { not: string };
  /** For the matrix. */
  note?: string;
}

interface SignIn {
  /** Adds the server without a key. */
  add?(mcp: string): string;
  /** Starts the sign-in. Without one, the line by which the client works does. */
  line?(mcp: string): string;
  /** The client shows a screen. It is ended once it has listed the tools. */
  screen?: true;
  /** What a person types there, after what the screen shows. */
  types?: readonly [after: RegExp, text: string][];
}

const ENTER = "\r";
const DOWN = "\u001b[B";
const PROMPT = "List a contact.";
const json = (value: unknown) => JSON.stringify(value, null, 2);

/** The line that the console and the docs show for this client. */
function shown(id: string): (mcp: string, key: string) => string {
  const client = CLIENT_COMMANDS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no command for ${id}.`);
  return (mcp, key) => client.command(mcp, key);
}

export const PROGRAMS: readonly Program[] = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    command: "claude",
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    connect: shown("claude-code"),
    work: () => `claude --print "${PROMPT}" --allowedTools mcp__rostrum`,
    signIn: {
      add: (mcp) => `claude mcp add rostrum "${mcp}" --scope user --transport http`,
      line: () => "claude mcp login rostrum",
    },
  },
  {
    name: "Codex CLI",
    package: "@openai/codex",
    command: "codex",
    files: ({ model }) => ({
      ".codex/config.toml": `model_provider = "local"
check_for_update_on_startup = false
mcp_oauth_credentials_store = "file"
[analytics]
enabled = false
[model_providers.local]
name = "local"
base_url = "${model}/v1"
wire_api = "responses"
`,
    }),
    connect: shown("codex"),
    work: () => `codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "${PROMPT}"`,
    signIn: { line: (mcp) => `codex mcp add rostrum --url "${mcp}"` },
  },
  {
    name: "Gemini CLI",
    package: "@google/gemini-cli",
    command: "gemini",
    env: ({ model }) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: model }),
    files: () => ({
      ".gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    }),
    connect: shown("gemini"),
    // Without a model, it would ask one which model to ask.
    work: () => `gemini --model gemini-2.5-pro --yolo --prompt "${PROMPT}"`,
    signIn: {
      add: (mcp) => `gemini mcp add rostrum "${mcp}" --scope user --transport http`,
      line: () => "gemini --model gemini-2.5-pro",
      screen: true,
      types: [
        [/Type your message/, "/mcp auth rostrum"],
        [/auth rostrum/, ENTER],
        [/Do you want to continue/, ENTER],
      ],
    },
  },
  {
    name: "Qwen Code",
    package: "@qwen-code/qwen-code",
    command: "qwen",
    env: ({ model }) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "fake" }),
    files: () => ({
      ".qwen/settings.json": json({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    connect: (mcp, key) => `qwen mcp add rostrum "${mcp}" --transport http --header "Authorization: Bearer ${key}"`,
    work: () => `qwen --yolo "${PROMPT}"`,
    signIn: {
      add: (mcp) => `qwen mcp add rostrum "${mcp}" --transport http`,
      line: () => "qwen",
      screen: true,
      types: [
        [/Type your message/, "/mcp"],
        [/\/mcp/, ENTER],
        [/rostrum/, ENTER],
        [/Authenticate/, DOWN],
        [/Authenticate/, DOWN],
        [/Authenticate/, ENTER],
      ],
    },
  },
  {
    name: "opencode",
    package: "opencode-ai",
    command: "opencode",
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: ({ model }) => ({
      ".config/opencode/opencode.json": json({
        autoupdate: false,
        share: "disabled",
        model: "local/fake",
        provider: {
          local: {
            npm: "@ai-sdk/openai-compatible",
            name: "local",
            options: { baseURL: `${model}/v1`, apiKey: "none" },
            models: { fake: { name: "fake" } },
          },
        },
      }),
    }),
    connect: shown("opencode"),
    work: () => `opencode run "${PROMPT}"`,
    signIn: { add: (mcp) => `opencode mcp add rostrum --url "${mcp}"`, line: () => "opencode mcp auth rostrum" },
  },
  {
    name: "Copilot CLI",
    package: "@github/copilot",
    command: "copilot",
    env: ({ model }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "gpt-5",
      COPILOT_AUTO_UPDATE: "false",
    }),
    files: () => ({ ".copilot/config.json": json({ storeTokenPlaintext: true }) }),
    connect: shown("copilot"),
    work: () => `copilot --prompt "${PROMPT}" --allow-all-tools`,
    signIn: { add: (mcp) => `copilot mcp add rostrum "${mcp}" --transport http`, line: () => "copilot", screen: true },
  },
  {
    name: "Continue CLI",
    package: "@continuedev/cli",
    command: "cn",
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_CLI_ENABLE_TELEMETRY: "0" }),
    files: ({ mcp, model }, key) => ({
      ".continue/config.yaml": json({
        name: "local",
        version: "1.0.0",
        schema: "v1",
        models: [
          {
            name: "fake",
            provider: "openai",
            model: "gpt-4o",
            apiBase: `${model}/v1`,
            apiKey: "none",
            capabilities: ["tool_use"],
            roles: ["chat"],
          },
        ],
        mcpServers: [
          {
            name: "rostrum",
            type: "streamable-http",
            url: mcp,
            ...(key && { requestOptions: { headers: { Authorization: `Bearer ${key}` } } }),
          },
        ],
      }),
    }),
    work: () => `cn --print --auto --config "$HOME/.continue/config.yaml" "${PROMPT}"`,
    signIn: { not: "no: it needs mcp-remote" },
  },
  {
    name: "MCP Inspector",
    package: "@modelcontextprotocol/inspector",
    command: "mcp-inspector",
    direct: true,
    work: ({ name, argument }, { mcp }, key) =>
      `mcp-inspector --cli "${mcp}" --transport http --protocol-era auto --method tools/call --tool-name ${name} --tool-arg ${argument} ` +
      (key === undefined
        ? "--callback-url http://127.0.0.1:0/oauth/callback"
        : `--header "Authorization: Bearer ${key}"`),
    signIn: {},
  },
  {
    name: "mcp-remote",
    package: "mcp-remote",
    command: "mcp-remote",
    beside: { "mcp-inspector": "@modelcontextprotocol/inspector" },
    direct: true,
    files: ({ mcp }, key) => ({
      "mcp.json": json({
        mcpServers: {
          rostrum: {
            type: "stdio",
            command: "mcp-remote",
            args: [mcp, ...(key === undefined ? [] : ["--header", `Authorization: Bearer ${key}`])],
          },
        },
      }),
    }),
    work: ({ name, argument }) =>
      `mcp-inspector --cli --config "$HOME/mcp.json" --server rostrum --method tools/call --tool-name ${name} --tool-arg ${argument}`,
    signIn: {},
    note: "Driven by MCP Inspector over stdio",
  },
];
