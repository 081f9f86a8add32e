import process from "node:process";
import { addAbortSignal } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { Command, CommanderError } from "commander";
import { AppError } from "../core/errors.ts";
import type { CommandContext, CommandSummary } from "./commands/command-context.ts";
import type { CommandName } from "../settings/option-entry.ts";
import { environmentName } from "../settings/option-entry.ts";
import { optionTable } from "../settings/options.ts";
import { refuseRemovedOptions } from "../settings/removed-options.ts";
import { refuseWithoutEffect, warningsWithoutEffect } from "../settings/options-without-effect.ts";
import { readPath } from "../settings/read-path.ts";
import { readSettings } from "../settings/read-settings.ts";
import { addOptions } from "./add-options.ts";
import { readFirstLine } from "./read-first-line.ts";
import { readWords } from "./read-words.ts";

type RunCommand = (context: CommandContext) => Promise<number>;

interface CommandEntry extends CommandSummary {
  readonly arguments?: readonly { readonly name: string; readonly description: string }[];
  /** Loads the command's own code, and nothing of the others'. */
  readonly load: () => Promise<RunCommand>;
}

/** Every command, in the order of the help page. */
export const commands: readonly CommandEntry[] = [
  {
    name: "up",
    summary: "run a whole fleet on this machine: a hub, a git repository, clusters with agents",
    load: async () => (await import("./commands/up.ts")).runUp,
  },
  {
    name: "hub",
    summary: "serve an embedded hub alone",
    load: async () => (await import("./commands/hub.ts")).runHub,
  },
  {
    name: "run",
    summary: "run the daemon: make the hub follow the repository",
    load: async () => (await import("./commands/run.ts")).runDaemon,
  },
  {
    name: "check",
    summary: "check that the daemon can run here: hub, rights, repository, forge",
    load: async () => (await import("./commands/check.ts")).runCheck,
  },
  {
    name: "plan",
    summary: "print what the head of the branch would change on the hub",
    load: async () => (await import("./commands/plan.ts")).runPlan,
  },
  {
    name: "diff",
    summary: "print what pushing the work tree would change on the hub",
    arguments: [{ name: "[dir]", description: "the work tree (default: the one that the current folder is in)" }],
    load: async () => (await import("./commands/diff.ts")).runDiff,
  },
  {
    name: "validate",
    summary: "check the files of a folder",
    arguments: [{ name: "[path...]", description: "the folder (default: the current one), or some of its files" }],
    load: async () => (await import("./commands/validate.ts")).runValidateCommand,
  },
  {
    name: "schema",
    summary: "print the schema of a kind, or of all files",
    arguments: [{ name: "[kind]", description: "such as Cluster (default: one schema for every file)" }],
    load: async () => (await import("./commands/schema.ts")).runSchema,
  },
  {
    name: "explain",
    summary: "print what a kind or a field of it means",
    arguments: [{ name: "[field]", description: "such as Cluster.spec.heartbeat (default: all kinds)" }],
    load: async () => (await import("./commands/explain.ts")).runExplain,
  },
  {
    name: "status",
    summary: "show the fleet, or explain one cluster",
    arguments: [clusterArgument("[cluster]")],
    load: async () => (await import("./commands/status.ts")).runStatus,
  },
  {
    name: "get",
    summary: "list objects of the hub, as kubectl does",
    arguments: [
      { name: "<kind>", description: "clusters, tokens, groups, registrations, reports or repositories" },
      { name: "[name...]", description: "name, or workspace/name" },
    ],
    load: async () => (await import("./commands/get.ts")).runGet,
  },
  {
    name: "describe",
    summary: "explain one object, with its labels and Events",
    arguments: [
      { name: "<kind>", description: "such as cluster" },
      { name: "[name...]", description: "name, or workspace/name" },
    ],
    load: async () => (await import("./commands/describe.ts")).runDescribe,
  },
  {
    name: "events",
    summary: "list the Events of clusters, tokens and repositories",
    arguments: [{ name: "[object...]", description: "such as cluster/prod-eu-1 (default: all)" }],
    load: async () => (await import("./commands/events.ts")).runEvents,
  },
  {
    name: "wait",
    summary: "wait until objects are there, have a condition, or are deleted",
    arguments: [{ name: "<object...>", description: "such as cluster/prod-eu-1" }],
    load: async () => (await import("./commands/wait.ts")).runWait,
  },
  {
    name: "top",
    summary: "list clusters with their last heartbeat, versions, nodes and resources",
    arguments: [clusterArgument("[cluster...]")],
    load: async () => (await import("./commands/top.ts")).runTop,
  },
  {
    name: "logs",
    summary: "name the kubectl command that shows the log of a cluster's agent",
    arguments: [clusterArgument("<cluster>")],
    load: async () => (await import("./commands/logs.ts")).runLogs,
  },
  {
    name: "suspend",
    summary: "stop changes to one cluster, or to the whole repository",
    arguments: [clusterArgument("[cluster]")],
    load: async () => (await import("./commands/operate.ts")).runSuspend,
  },
  {
    name: "resume",
    summary: "end a suspension",
    arguments: [clusterArgument("[cluster]")],
    load: async () => (await import("./commands/operate.ts")).runResume,
  },
  {
    name: "reconcile",
    summary: "ask the daemon for a run now",
    load: async () => (await import("./commands/operate.ts")).runReconcile,
  },
  {
    name: "revoke",
    summary: "end a cluster's credentials at once",
    arguments: [clusterArgument("<cluster>")],
    load: async () => (await import("./commands/operate.ts")).runRevoke,
  },
  {
    name: "approve-deletions",
    summary: "let withheld removals of a commit through",
    arguments: [
      { name: "<commit>", description: "the head that they wait at" },
      { name: "<count>", description: "how many there are: with a smaller number, none is let through" },
    ],
    load: async () => (await import("./commands/operate.ts")).runApproveDeletions,
  },
  {
    name: "backup",
    summary: "write the hub's trust key to a file: with it and the repository a lost hub is restored",
    load: async () => (await import("./commands/backup.ts")).runBackup,
  },
  {
    name: "trust replace",
    summary: "replace the hub's trust key",
    load: async () => (await import("./commands/trust-replace.ts")).runTrustReplace,
  },
  {
    name: "join",
    summary: "install the agent into the cluster of the current kube context",
    load: async () => (await import("./commands/join.ts")).runJoin,
  },
  {
    name: "init",
    summary: "write a first repository into an empty folder",
    arguments: [{ name: "[dir]", description: "the folder (default: the current one)" }],
    load: async () => (await import("./commands/init.ts")).runInit,
  },
  {
    name: "bootstrap",
    summary: "set up a repository at a forge: deploy key, workflow, first commit, values of the chart",
    arguments: [
      { name: "<forge>", description: "github, gitlab, gitea, or git for a server without an API" },
      { name: "<repository>", description: "its address; of github and gitlab also owner/name" },
    ],
    choices: ["github", "gitlab", "gitea", "git"],
    load: async () => (await import("./commands/bootstrap.ts")).runBootstrap,
  },
  {
    name: "add token",
    summary: "write the file of a registration token",
    arguments: [{ name: "<name>", description: "its name" }],
    load: async () => (await import("./commands/add-token.ts")).runAddToken,
  },
  {
    name: "add cluster",
    summary: "write the file of the cluster of the current kube context, with a kubeconfig for the hub",
    arguments: [{ name: "<name>", description: "its name in the fleet" }],
    load: async () => (await import("./commands/add-cluster.ts")).runAddCluster,
  },
  {
    name: "remove cluster",
    summary: "delete the file of a cluster, and print the effect of the next push",
    arguments: [{ name: "<name>", description: "its name" }],
    load: async () => (await import("./commands/remove-cluster.ts")).runRemoveCluster,
  },
  {
    name: "remove token",
    summary: "delete the file of a registration token, and print the effect of the next push",
    arguments: [{ name: "<name>", description: "its name" }],
    load: async () => (await import("./commands/remove-token.ts")).runRemoveToken,
  },
  {
    name: "import",
    summary: "write the files that take over a hub of another project",
    arguments: [{ name: "<project>", description: "fleet, kubefleet, clusternet or cluster-api" }],
    choices: ["fleet", "kubefleet", "clusternet", "cluster-api"],
    load: async () => (await import("./commands/import.ts")).runImport,
  },
  {
    name: "uninstall",
    summary: "take the whole fleet off the hub: clusters, agents, definitions",
    load: async () => (await import("./commands/uninstall.ts")).runUninstall,
  },
  {
    name: "completion",
    summary: "print the completion of a shell",
    arguments: [{ name: "<shell>", description: "bash, zsh or fish" }],
    choices: ["bash", "zsh", "fish"],
    load: async () => (await import("./commands/completion.ts")).runCompletion,
  },
  {
    name: "version",
    summary: "print the version, or verify the files of the installed package",
    load: async () => (await import("./commands/version.ts")).runVersion,
  },
  {
    name: "agent",
    summary: "run the agent of a cluster",
    isHidden: true,
    load: async () => (await import("./commands/agent.ts")).runAgentCommand,
  },
];

/** Of first words with several commands. */
const groupSummaries: ReadonlyMap<string, string> = new Map([
  ["add", "write the file of a cluster or of a registration token"],
  ["remove", "delete the file of a cluster or of a registration token"],
]);

function clusterArgument(name: string): { readonly name: string; readonly description: string } {
  return { name, description: "name, or workspace/name" };
}

/**
 * Parses the command line and runs one command. Resolves with the exit code: 0 good, 1 problems, 2 wrong use, 3 could not
 * reach something. Throws AppError.
 */
export async function runProgram(argv: readonly string[], signal: AbortSignal, version: string): Promise<number> {
  let exitCode = 0;
  const program = new Command("rollcall")
    .description("A fleet of Kubernetes clusters, kept as files in git.")
    .version(version)
    .exitOverride()
    // A mistake is thrown, and printed as every other failure is.
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError();
  const groups = new Map<string, Command>();
  for (const entry of commands) {
    const { parent, word } = placeOf(program, groups, entry.name);
    const command = parent
      .command(word, { hidden: entry.isHidden === true })
      .summary(entry.summary)
      .description(sentence(entry.summary));
    for (const argument of entry.arguments ?? []) command.argument(argument.name, argument.description);
    addOptions(command, entry.name);
    command.action(async () => {
      const { args } = command;
      refuseEmptyArgument(command);
      const given = givenOptions(command);
      refuseRemovedOptions(entry.name, given);
      const file = await fileOfSettings(entry.name, given, process.env);
      const settings = readSettings(entry.name, { given, environment: process.env, file });
      refuseWithoutEffect(entry.name, { settings, args });
      for (const warning of warningsWithoutEffect(entry.name, { settings, args }))
        process.stderr.write(`warning: ${warning}\n`);
      const run = await entry.load();
      exitCode = await run({
        settings,
        args,
        stdout: process.stdout,
        stderr: process.stderr,
        environment: process.env,
        readStdin: () => readAll(addAbortSignal(signal, process.stdin)),
        readLine: () => readFirstLine(process.stdin, signal),
        commands,
        signal,
      });
    });
  }
  try {
    await program.parseAsync(readWords(program, argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0; // help and version
    if (error.code === "commander.help") return 2; // of a command without its subcommand; it is printed
    throw new AppError("E_USAGE", usageMistake(error.message), { cause: error });
  }
  return exitCode;
}

/** A variable of the shell that is not set leaves an empty word behind. */
function refuseEmptyArgument({ args, registeredArguments }: Command): void {
  const index = args.indexOf("");
  const argument = registeredArguments[index] ?? registeredArguments.at(-1);
  if (index >= 0) throw new AppError("E_USAGE", `the argument ${argument?.name() ?? index + 1} is empty`);
}

/** Commander's message as one line of ours. */
function usageMistake(message: string): string {
  return message.replace(/^error: /u, "").replace(/\n\(Did you mean (.*)\?\)$/u, ", did you mean $1?");
}

/** The parent of a command, and its name there. The first of two words is a command that only has subcommands. */
function placeOf(
  program: Command,
  groups: Map<string, Command>,
  name: string,
): { readonly parent: Command; readonly word: string } {
  const [first = "", second] = name.split(" ");
  if (second === undefined) return { parent: program, word: first };
  const known = groups.get(first);
  if (known) return { parent: known, word: second };
  const summary = groupSummaries.get(first) ?? commands.find((entry) => entry.name === name)?.summary ?? "";
  const group = program.command(first).summary(summary).description(sentence(summary));
  groups.set(first, group);
  return { parent: group, word: second };
}

/** The content of the file of --config, for commands that have the option. */
async function fileOfSettings(
  command: CommandName,
  given: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, unknown>>> {
  const isKnown = optionTable.some(({ name, commands: users }) => name === "config" && users.includes(command));
  const path = given["config"] ?? environment[environmentName("config")];
  if (!isKnown || typeof path !== "string" || path === "") return {};
  const { readConfigFile } = await import("../settings/config-file.ts");
  return readConfigFile(readPath(path, environment));
}

/** Options that were given, by their name in the table; commander's camel case and `--no-` are undone. */
function givenOptions(command: Command): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const option of command.options) {
    const key = option.attributeName();
    if (command.getOptionValueSource(key) !== "cli") continue;
    given[option.name().replace(/^no-/u, "")] = command.getOptionValue(key);
  }
  return given;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
