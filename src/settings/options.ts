import type { CommandName, OptionEntry } from "./option-entry.ts";
import { choice, count, flag, list, text } from "./option-entry.ts";
import { toolOptions } from "./tool-options.ts";

/** Those of a whole command line of the daemon, which \`check\` takes as it is. */
const daemon: readonly CommandName[] = ["run", "check"];
const operators: readonly CommandName[] = ["suspend", "resume", "reconcile", "revoke", "approve-deletions"];
const hubReaders: readonly CommandName[] = ["run", "check", "plan", "status", "backup", ...operators];
/** Commands that show objects of the hub, with kubectl's options. */
const viewers: readonly CommandName[] = ["get", "describe", "events", "wait"];
const hubUsers: readonly CommandName[] = [...hubReaders, "uninstall"];
/** A cluster is found in every workspace, so `revoke` needs no namespace. */
const namespaceUsers: readonly CommandName[] = hubUsers.filter((command) => command !== "revoke");
const repositoryUsers: readonly CommandName[] = [
  "run",
  "check",
  "plan",
  "suspend",
  "resume",
  "reconcile",
  "approve-deletions",
];
/** Commands that open the fleet repository themselves; their settings may stand in a file. */
const gitReaders: readonly CommandName[] = ["run", "check", "plan"];

/** The one table of options: command line, environment, help, and the chart's values come from it. */
export const optionTable: readonly OptionEntry[] = [
  text(
    "config",
    gitReaders,
    "file",
    "YAML file of settings, named as here in camel case. The command line and the environment outrank it.",
  ),
  {
    ...flag("print-config", ["run"], "Print every setting as such a file, with where it comes from, and stop."),
    isFlagOnly: true,
  },
  text("repo", gitReaders, "url", "The fleet repository: an https or ssh address, or a folder (command line only)."),
  text("branch", gitReaders, "name", "Branch that says what is wanted.", "main"),
  text(
    "kubeconfig",
    [...hubUsers, ...viewers],
    "file",
    "Kubeconfig of the hub. Default: $KUBECONFIG, or the cluster this runs in.",
  ),
  text("context", [...hubUsers, ...viewers], "name", "Context of the kubeconfig. Default: its current one."),
  text("namespace", namespaceUsers, "name", "Namespace of the daemon and its Repository objects.", "rollcall-system"),
  text("repository", repositoryUsers, "name", "Name of the Repository object on the hub.", "fleet"),
  flag(
    "follow-repositories",
    daemon,
    "Follow every other Repository object of the daemon's namespace too, each by what it says itself.",
  ),
  list(
    "workspaces",
    daemon,
    "names",
    "Namespaces that repositories may write to, separated by commas; globs allowed. Default: every namespace with the label rollcall.dev/workspace.",
  ),
  text("default-workspace", daemon, "name", "Workspace of documents that name none."),
  text(
    "age-key-secret",
    daemon,
    "name",
    "Secret in the daemon's namespace with the age keys that encrypted Secrets of the repository are read by.",
  ),
  text(
    "verify-keys-secret",
    daemon,
    "name",
    "Secret in the daemon's namespace with the keys of who may sign: then only signed commits are applied.",
  ),
  list("verify-paths", daemon, "patterns", "Files that need a signature. Default: every file."),
  text(
    "sops-program",
    daemon,
    "path",
    "The sops program, for files with other keys than age's. Default: they are refused.",
  ),
  list(
    "sops-origins",
    daemon,
    "urls",
    "Origins of Vault and Azure Key Vault that a file may name for the sops program. Default: none.",
  ),
  text("interval", daemon, "duration", "How often the repository is looked at, at the latest.", "1m"),
  flag(
    "once",
    daemon,
    "Apply the head of the branch once and stop. It needs the leader's Leases: where a daemon leads, it is refused.",
  ),
  flag(
    "restore",
    ["run", "check", "up"],
    "First give the hub back what the status branch knows of its clusters: for a hub that was lost. Agents come back by themselves.",
  ),
  text("trust-key-file", ["run", "check", "up"], "file", "What rollcall backup wrote; a restore needs it."),
  flag(
    "restore-unsigned",
    ["run", "check", "up"],
    "Restore from a status branch that no hub has signed. A user with the right to push to it decides who joins.",
  ),
  text("output-file", ["backup"], "file", "Where the trust key goes; no other user may read it."),
  flag(
    "install-crds",
    daemon,
    "Create or update the resource definitions on the hub at start, and make the namespaces of the daemon.",
  ),
  flag(
    "serve-fleet",
    daemon,
    "Serve Rancher Fleet's agents too; what they need on the hub is made where it is missing.",
  ),
  choice(
    "fleet-controllers",
    ["run", "check", "uninstall"],
    ["Rollcall", "External"],
    "Whose controllers serve Fleet's agents. External: Fleet's own, which run on the hub; Rollcall keeps Fleet's objects as the files say.",
    "Rollcall",
  ),
  choice(
    "kubefleet-controllers",
    ["run", "check", "uninstall"],
    ["Rollcall", "External"],
    "Whose controllers serve KubeFleet's agents. External: KubeFleet's hub agent, which runs on the hub; Rollcall keeps MemberClusters as the files say, and installs agents.",
    "Rollcall",
  ),
  choice(
    "clusternet-controllers",
    ["run", "check", "uninstall"],
    ["Rollcall", "External"],
    "Whose controllers serve Clusternet's agents. External: Clusternet's own, which run on the hub; Rollcall keeps ManagedClusters as the files say, and installs agents.",
    "Rollcall",
  ),
  flag(
    "serve-kubefleet",
    daemon,
    "Serve KubeFleet's member agents too; what they need on the hub is made where it is missing.",
  ),
  flag(
    "serve-clusternet",
    daemon,
    "Serve Clusternet's agents too; what they need on the hub is made where it is missing.",
  ),
  flag(
    "clusternet-bootstrap-tokens",
    ["run", "check", "uninstall"],
    "Let Clusternet's agents ask with bootstrap tokens of kube-system, which the hub's API server must accept, instead of tokens of accounts.",
  ),
  flag(
    "publish-cluster-profiles",
    daemon,
    "Publish a ClusterProfile (multicluster.x-k8s.io) of each Cluster; its definition must be on the hub.",
  ),
  text(
    "publish-argocd",
    daemon,
    "namespace",
    "Publish an Argo CD cluster Secret there for each Cluster that names a kubeconfig.",
  ),
  text(
    "publish-flux",
    daemon,
    "namespace",
    "Publish a kubeconfig Secret for Flux there for each Cluster that names a kubeconfig.",
  ),
  text(
    "publish-removal-timeout",
    daemon,
    "duration",
    "How long a published Secret that is to be removed waits at most for what uses it.",
    "15m",
  ),
  choice(
    "publish-argocd-removal",
    daemon,
    ["Keep", "Unselect"],
    "Unselect: first take the labels of the file from an Argo CD cluster Secret that is to be removed, so that ApplicationSets delete what they deployed there. Keep: workloads stay.",
    "Keep",
  ),
  text("hub-url", daemon, "url", "Address of the hub that agents use. Default: the kubeconfig's."),
  text("hub-ca-file", daemon, "file", "CA certificates that agents check the hub by. Default: the kubeconfig's."),
  text("agent-image", daemon, "image", "Image of the agent, where a Cluster names none.", "rollcall"),
  choice(
    "write-back",
    daemon,
    ["Branch", "None"],
    "Where what is seen is written: a branch of the repository, or nowhere.",
    "Branch",
  ),
  text("write-back-branch", daemon, "name", "The branch it is written to.", "rollcall/status"),
  text(
    "write-back-interval",
    daemon,
    "duration",
    "Least time between two status commits without a new source commit.",
    "60s",
  ),
  text("git-token-file", gitReaders, "file", "File with a token or password for the git server."),
  text("git-username", gitReaders, "name", "User name that goes with it. Default: the server's usual one for tokens."),
  text("git-ca-file", gitReaders, "file", "CA certificates that the git server is checked by."),
  text("git-ssh-key-file", gitReaders, "file", "For ssh: the deploy key, a private key without passphrase."),
  text(
    "git-known-hosts-file",
    gitReaders,
    "file",
    "For ssh: the server's keys, as ssh-keyscan prints them. Without it no server is trusted.",
  ),
  choice(
    "git-backend",
    gitReaders,
    ["auto", "native"],
    "native: use the git program also where it is not needed, as for very large repositories.",
    "auto",
  ),
  text("cache-dir", gitReaders, "folder", "Folder for copies of remote repositories; its content is disposable."),
  flag(
    "leader-election",
    daemon,
    "Wait for the leader's Lease before work begins. Off only where one process runs for sure.",
    true,
  ),
  text(
    "metrics-address",
    daemon,
    "host:port",
    "Where health (/livez, /readyz) and metrics (/metrics) are served. Default: nowhere.",
  ),
  text("page-address", daemon, "host:port", "Where the page and its API are served. Default: nowhere."),
  choice(
    "page-access",
    daemon,
    ["Token", "Proxy", "Open"],
    "Who may look: viewers with a bearer token of the hub, viewers that a proxy on this machine names, or every user of this machine.",
    "Token",
  ),
  text("page-user-header", daemon, "name", "Header in which the proxy names the user.", "X-Forwarded-User"),
  text("page-groups-header", daemon, "name", "Header in which it names their groups.", "X-Forwarded-Groups"),
  text(
    "webhook-secret-file",
    daemon,
    "file",
    "Secrets of webhooks, one a line; POST /webhook is served beside the metrics then.",
  ),
  flag(
    "serve-install-manifests",
    daemon,
    "Serve what join --install-url made, each once, at GET /v1/import/ beside the metrics.",
  ),
  choice(
    "forge",
    daemon,
    ["None", "GitHub", "GitLab", "Gitea", "Forgejo"],
    "Forge that is told what became of commits.",
    "None",
  ),
  text("forge-secret", daemon, "name", "Secret in the daemon's namespace with the forge's token."),
  text("forge-api-url", daemon, "url", "Address of the forge's API. Default: derived from the repository's."),
  text("identity", daemon, "name", "Name of this process in leader election. Default: host name and a random end."),
  text(
    "commit",
    ["plan"],
    "commit",
    "Commit to plan. Default: the head of the branch; with --offline, what is checked out.",
  ),
  text("base", ["plan"], "commit", "Commit to compare with. Default: the one applied on the hub."),
  flag("offline", ["plan"], "Plan without a hub, from what the status branch says of it."),
  text("status-branch", ["plan"], "name", "The branch that the daemon writes what it sees to.", "rollcall/status"),
  flag(
    "dry-run",
    ["plan"],
    "Do not ask the hub to check each object. Without it the hub is asked, by server-side dry run.",
    true,
  ),
  flag(
    "comment",
    ["plan"],
    "In a workflow: write the plan to its pull request too, with the token in ROLLCALL_FORGE_TOKEN.",
  ),
  flag("detailed-exitcode", ["plan"], "End with 4 when there are changes."),
  choice("output", ["plan"], ["text", "markdown", "json"], "Form of the answer.", "text"),
  text(
    "changed-since",
    ["validate"],
    "commit",
    "Tell only what changed files have, and what the change does to others.",
  ),
  flag("strict", ["validate"], "Count warnings as errors."),
  list("severity", ["validate"], "CODE=severity", "error, warning or off for a code; may be given many times."),
  choice("output", ["validate"], ["text", "json", "sarif", "github"], "Form of the answer.", "text"),
  flag("recursive", ["explain"], "Print the names and types of all fields below it."),
  choice("output", ["check"], ["text", "json"], "Form of the answer.", "text"),
  choice("output", ["explain"], ["text", "json"], "Form of the answer.", "text"),
  choice("output", ["status"], ["text", "json"], "Form of the answer.", "text"),
  {
    ...text("namespace", viewers, "name", "Namespace (workspace) of the objects. Default: every namespace."),
    short: "n",
    isFlagOnly: true,
  },
  {
    ...flag("all-namespaces", viewers, "Look in every namespace, as is the default."),
    short: "A",
    isFlagOnly: true,
  },
  {
    ...text("output", ["get"], "form", "wide, json, yaml, name, or jsonpath=TEMPLATE. Default: a table."),
    short: "o",
    isFlagOnly: true,
  },
  { ...choice("output", ["events"], ["table", "json", "yaml"], "Form of the answer.", "table"), short: "o" },
  {
    ...text("selector", ["get", "describe"], "selector", "Labels, such as env=prod,region in (eu, us)."),
    short: "l",
    isFlagOnly: true,
  },
  { ...flag("watch", ["get"], "Go on, and print each object again when it changes."), short: "w", isFlagOnly: true },
  {
    ...text("for", ["wait"], "goal", "condition=TYPE, condition=TYPE=STATUS or delete.", "condition=Ready"),
    isFlagOnly: true,
  },
  flag("wait", ["reconcile"], "Do not wait until the run has ended.", true),
  { ...flag("yes", ["suspend", "revoke"], "Do not ask at a terminal."), isFlagOnly: true },
  { ...text("timeout", ["reconcile"], "duration", "How long to wait for the run at most.", "2m"), isFlagOnly: true },
  { ...text("timeout", ["wait"], "duration", "How long to wait at most.", "30s"), isFlagOnly: true },
  text("server", ["status"], "url", "Ask the page of a daemon at this address instead of the hub."),
  text("server-token-file", ["status"], "file", "File with a Kubernetes bearer token for that page."),
  text("server-ca-file", ["status"], "file", "CA certificates that it is checked by. Default: those of this machine."),
  text(
    "dir",
    ["up", "hub"],
    "folder",
    "Folder of the hub's state, kubeconfigs and the demo's repository.",
    ".rollcall",
  ),
  text("backup-file", ["hub"], "file", "Copy the hub of the folder to this file, whether it runs or not, and end."),
  text("restore-file", ["hub"], "file", "Make the hub from such a file first. The folder must not have one."),
  text("audit-log-file", ["hub"], "file", "Record requests in this file, as JSON lines of audit.k8s.io/v1."),
  text(
    "audit-policy-file",
    ["hub"],
    "file",
    "Policy of audit.k8s.io/v1: which requests are recorded, and how much of them. Default: all, without bodies.",
  ),
  count("audit-log-max-size", ["hub"], "MiB", "Size at which the audit log is renamed and begins again.", 100),
  count("audit-log-max-backups", ["hub"], "n", "How many renamed audit logs to keep.", 10),
  count(
    "clusters",
    ["up"],
    "n",
    "How many clusters to run. When the repository is made, more than the example declares are added as files.",
    3,
  ),
  choice(
    "protocol",
    ["up"],
    ["rollcall", "fleet", "kubefleet", "clusternet"],
    "Whose agents the clusters run. Another project's demo has a folder of its own below --dir.",
    "rollcall",
  ),
  text("agent-binary", ["up"], "file", "Program of the agent of --protocol, as that project builds it."),
  flag("exit-when-healthy", ["up"], "Stop with 0 as soon as every cluster is Ready and the status commit says so."),
  count("hub-port", ["up"], "port", "Port of the hub's API. 0: the system chooses, the same again next time.", 0),
  count(
    "port",
    ["up", "hub"],
    "port",
    "Port of the status page (up) or of the API (hub). 0: the system chooses, the same again next time.",
    0,
  ),
  ...toolOptions,
  choice(
    "log-level",
    ["up", "run", "check", "hub", "agent"],
    ["debug", "info", "warn", "error"],
    "Least important log lines that are printed.",
    "info",
  ),
];

/** How an option is written: switches that are on by default are there to be switched off. */
export function flagOf({ kind, name, default: value }: OptionEntry): string {
  return kind === "switch" && value === true ? `--no-${name}` : `--${name}`;
}

/** Name of the environment variable of an option. */
export function environmentName(optionName: string): string {
  return `ROLLCALL_${optionName.replaceAll("-", "_").toUpperCase()}`;
}

/** Name of an option in a file of settings, and among the values of the chart: `hubUrl` of `hub-url`. */
export function settingName(optionName: string): string {
  return optionName.replace(/-([a-z])/gu, (_match, letter: string) => letter.toUpperCase());
}
