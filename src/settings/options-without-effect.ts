import { AppError } from "../core/errors.ts";
import type { CommandName } from "./option-entry.ts";
import { flagOf, settingName } from "./option-entry.ts";
import { optionTable } from "./options.ts";
import type { AddressKind } from "./read-path.ts";
import { addressKind } from "./read-path.ts";
import type { Setting, Settings } from "./settings.ts";

interface Situation {
  readonly settings: Settings;
  readonly args: readonly string[];
}

/** Options that the rest of a command line leaves without effect. */
interface Rule {
  readonly commands: readonly CommandName[];
  readonly options: readonly string[];
  readonly isWithoutEffect: (situation: Situation) => boolean;
  /** Ends the sentence "... has no effect: ". */
  readonly because: string;
}

const hasArgument = ({ args }: Situation): boolean => args.length > 0;
const isOn =
  (name: string) =>
  ({ settings }: Situation): boolean =>
    settings.isOn(name);
const hasText =
  (name: string, value?: string) =>
  ({ settings }: Situation): boolean =>
    value === undefined ? settings.text(name) !== undefined : settings.text(name) === value;
const not =
  (is: Rule["isWithoutEffect"]) =>
  (situation: Situation): boolean =>
    !is(situation);
const neither =
  (...all: readonly Rule["isWithoutEffect"][]) =>
  (situation: Situation): boolean =>
    all.every((is) => !is(situation));

/** Options that need another one. */
function goesWith(
  commands: readonly CommandName[],
  options: readonly string[],
  other: string,
  isThere: Rule["isWithoutEffect"],
): Rule {
  return { commands, options, isWithoutEffect: not(isThere), because: `it requires ${other}` };
}

const everyWorkspace = "a cluster is found by its name in every workspace, or in that of --workspace";
const isProtocol = (name: string) => hasText("protocol", name);

const folder = "the repository is a folder of this machine";

/** `plan` without a hub reads the folder that it runs in; with one, the Repository may name the address. */
function repositoryKind({ settings }: Situation): AddressKind | undefined {
  const address = settings.text("repo");
  if (address !== undefined) return addressKind(address);
  return settings.isOn("offline") ? "folder" : undefined;
}

/** Options by which a git server is reached, for repositories of other addresses. */
function forAddresses(options: readonly string[], kinds: Readonly<Partial<Record<AddressKind, string>>>): Rule[] {
  return Object.entries(kinds).map(([kind, because]) => ({
    commands: ["run", "plan"],
    options,
    isWithoutEffect: (situation) => repositoryKind(situation) === kind,
    because,
  }));
}

const rules: readonly Rule[] = [
  ...forAddresses(["git-token-file", "git-username"], {
    folder,
    ssh: "an ssh address uses --git-ssh-key-file",
  }),
  ...forAddresses(["git-ca-file"], {
    folder,
    http: "http has no certificates",
    ssh: "an ssh address uses --git-known-hosts-file",
  }),
  ...forAddresses(["git-ssh-key-file", "git-known-hosts-file"], {
    folder,
    http: "it requires an ssh address",
    https: "it requires an ssh address",
  }),
  goesWith(["run", "plan"], ["git-username"], "--git-token-file", hasText("git-token-file")),
  {
    commands: ["suspend", "resume"],
    options: ["repository", "namespace"],
    isWithoutEffect: hasArgument,
    because: everyWorkspace,
  },
  {
    commands: ["status"],
    options: ["kubeconfig", "context", "namespace", "workspace"],
    isWithoutEffect: hasText("server"),
    because: "--server asks a page and not the hub",
  },
  {
    commands: ["get", "describe", "events", "wait", "top", "logs"],
    options: ["workspace"],
    isWithoutEffect: isOn("all-namespaces"),
    because: "--all-namespaces lists every namespace",
  },
  {
    commands: ["suspend", "resume"],
    options: ["workspace"],
    isWithoutEffect: not(hasArgument),
    because: "without a cluster, it is about the repository",
  },
  {
    commands: ["suspend"],
    options: ["yes"],
    isWithoutEffect: hasArgument,
    because: "one cluster is suspended without a question",
  },
  goesWith(["reconcile"], ["timeout"], "a wait, which --no-wait switches off", isOn("wait")),
  { commands: ["status"], options: ["namespace"], isWithoutEffect: hasArgument, because: everyWorkspace },
  {
    commands: ["status"],
    options: ["namespace"],
    isWithoutEffect: hasText("output", "json"),
    because: "--output json lists clusters alone, those of every workspace",
  },
  goesWith(["status"], ["server-token-file", "server-ca-file"], "--server", hasText("server")),
  {
    commands: ["plan"],
    options: ["kubeconfig", "context", "dry-run"],
    isWithoutEffect: isOn("offline"),
    because: "--offline asks no hub",
  },
  goesWith(["plan"], ["status-branch"], "--offline", isOn("offline")),
  {
    commands: ["plan"],
    options: ["branch"],
    isWithoutEffect: hasText("commit"),
    because: "--commit names what is planned",
  },
  goesWith(["run", "up"], ["trust-key-file", "restore-unsigned"], "--restore", isOn("restore")),
  goesWith(["run"], ["verify-paths"], "--verify-keys-secret", hasText("verify-keys-secret")),
  goesWith(["run"], ["sops-origins"], "--sops-program", hasText("sops-program")),
  goesWith(["run"], ["fleet-controllers"], "--serve-fleet", isOn("serve-fleet")),
  goesWith(["run"], ["kubefleet-controllers"], "--serve-kubefleet", isOn("serve-kubefleet")),
  goesWith(
    ["run"],
    ["clusternet-controllers", "clusternet-bootstrap-tokens"],
    "--serve-clusternet",
    isOn("serve-clusternet"),
  ),
  {
    commands: ["run"],
    options: ["publish-removal-timeout"],
    isWithoutEffect: neither(hasText("publish-argocd"), hasText("publish-flux")),
    because: "it requires --publish-argocd or --publish-flux",
  },
  goesWith(["run"], ["publish-argocd-removal"], "--publish-argocd", hasText("publish-argocd")),
  goesWith(["run"], ["write-back-interval"], "--write-back Branch", hasText("write-back", "Branch")),
  {
    commands: ["run"],
    options: ["write-back-branch"],
    isWithoutEffect: neither(hasText("write-back", "Branch"), isOn("restore")),
    because: "it requires --write-back Branch or --restore",
  },
  goesWith(
    ["run"],
    ["webhook-secret-file", "serve-install-manifests"],
    "--metrics-address",
    hasText("metrics-address"),
  ),
  goesWith(["version"], ["key", "package"], "--verify", isOn("verify")),
  goesWith(["join"], ["install-url"], "--from-hub", hasText("from-hub")),
  {
    commands: ["join"],
    options: ["kubeconfig", "context", "dry-run"],
    isWithoutEffect: hasText("install-url"),
    because: "--install-url asks no cluster",
  },
  goesWith(["run"], ["page-access", "page-actions"], "--page-address", hasText("page-address")),
  goesWith(["run"], ["page-user-header", "page-groups-header"], "--page-access Proxy", hasText("page-access", "Proxy")),
  goesWith(["run"], ["forge-secret", "forge-api-url"], "--forge", not(hasText("forge", "None"))),
  {
    commands: ["run"],
    options: ["identity"],
    isWithoutEffect: not(isOn("leader-election")),
    because: "--no-leader-election holds no election",
  },
  {
    commands: ["hub"],
    options: ["port", "restore-file", "log-level", "log-format", "audit-log-file"],
    isWithoutEffect: hasText("backup-file"),
    because: "--backup-file copies the hub and serves nothing",
  },
  goesWith(
    ["hub"],
    ["audit-policy-file", "audit-log-max-size", "audit-log-max-backups"],
    "--audit-log-file",
    hasText("audit-log-file"),
  ),
  goesWith(["join"], ["print-flags"], "--protocol clusternet", isProtocol("clusternet")),
  {
    commands: ["join"],
    options: ["show-secrets"],
    isWithoutEffect: neither(isOn("dry-run"), isOn("print-flags")),
    because: "it requires --dry-run or --print-flags",
  },
  {
    commands: ["join"],
    options: ["kubeconfig", "context"],
    isWithoutEffect: not(neither(isOn("dry-run"), isOn("print-flags"))),
    because: "--dry-run and --print-flags ask no cluster",
  },
  goesWith(["join"], ["agent-namespace"], "--protocol rollcall", isProtocol("rollcall")),
  {
    commands: ["join"],
    options: ["client-id"],
    isWithoutEffect: neither(isProtocol("rollcall"), isProtocol("fleet")),
    because: "it requires --protocol rollcall or fleet",
  },
  {
    commands: ["join"],
    options: ["values", "from-hub", "label", "agent-image"],
    isWithoutEffect: isProtocol("kubefleet"),
    because: "with --protocol kubefleet the file of the Cluster declares it",
  },
  {
    commands: ["join"],
    options: ["hub-kubeconfig"],
    isWithoutEffect: hasText("values"),
    because: "--values has what the hub would answer",
  },
  {
    commands: ["join"],
    options: ["cluster-name"],
    isWithoutEffect: ({ settings }) =>
      settings.text("protocol") === "clusternet" && settings.text("values") !== undefined,
    because: "the file of --values names the cluster",
  },
  {
    commands: ["import"],
    options: ["workspace"],
    isWithoutEffect: ({ args }) => args[0] === "fleet" || args[0] === "cluster-api",
    because: "each object has a namespace on that hub",
  },
];

/** Options that have no effect beside the given ones, each with the reason. */
export function optionsWithoutEffect(
  command: CommandName,
  situation: Situation,
): readonly { readonly name: string; readonly because: string }[] {
  if (situation.settings.isOn("print-config")) return [];
  return rules
    .filter(({ commands, isWithoutEffect }) => commands.includes(command) && isWithoutEffect(situation))
    .flatMap(({ options, because }) => options.map((name) => ({ name, because })));
}

/**
 * Refuses options of the command line without effect; {@link warningsWithoutEffect} has those of the environment and the file.
 * @throws E_USAGE for an option of the command line that would do nothing
 */
export function refuseWithoutEffect(command: CommandName, situation: Situation): void {
  const { settings } = situation;
  const found = optionsWithoutEffect(command, situation).find(({ name }) => settings.isGiven(name));
  if (found === undefined) return;
  const option = settings.entries.find((entry) => entry.option.name === found.name)?.option;
  const flag = option === undefined ? `--${found.name}` : flagOf(option);
  throw new AppError("E_USAGE", `${flag} has no effect: ${found.because}; leave it out`);
}

/**
 * A line for each option that the environment or the file of --config sets in vain. An option that another command reads
 * from there is left out, because it may be meant for that one. `check` reads the options of `run`, and is no other command.
 */
export function warningsWithoutEffect(command: CommandName, situation: Situation): readonly string[] {
  return optionsWithoutEffect(command, situation).flatMap(({ name, because }) => {
    const setting = situation.settings.entries.find(({ option }) => option.name === name);
    if (setting === undefined || setting.origin === "default" || situation.settings.isGiven(name)) return [];
    const isOfFile = setting.origin === "file";
    const readers = setting.option.commands.filter((reader) => !isOfFile || configurable.has(reader));
    if (readers.some((reader) => reader !== command && reader !== "check")) return [];
    return [`${placeOf(setting)} has no effect: ${because}`];
  });
}

/** Where a person finds what was given for an option: `--repo`, `ROLLCALL_REPO`, `repo in the file of --config`. */
export function placeOf({ option, origin }: Setting): string {
  return origin === "file" ? `${settingName(option.name)} in the file of --config` : origin;
}

/** Commands that read the file of --config. */
const configurable = new Set(optionTable.filter(({ name }) => name === "config").flatMap(({ commands }) => commands));
