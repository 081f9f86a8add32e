import type { CommandName, OptionEntry } from "./option-entry.ts";
import { choice, count, flag, list, text } from "./option-entry.ts";

const workTree: readonly CommandName[] = ["add token", "add cluster", "remove cluster", "import"];
const clusterTools: readonly CommandName[] = ["join", "add cluster"];

/** Of commands for people at a terminal: never from the environment, so that one sees which cluster is meant. */
export const toolOptions: readonly OptionEntry[] = [
  text("values", ["join"], "file", "File with the values of a token's Secret; - reads the standard input."),
  text("from-hub", ["join"], "token", "Read them from the hub: name of the token, or workspace/name."),
  text("hub-kubeconfig", clusterTools, "file", "Kubeconfig of the hub."),
  text(
    "kubeconfig",
    clusterTools,
    "file",
    "Kubeconfig of the cluster. Default: $KUBECONFIG, the cluster this runs in, ~/.kube/config.",
  ),
  text("kubeconfig", ["import"], "file", "Kubeconfig of the hub to read. Default: $KUBECONFIG, ~/.kube/config."),
  text("context", [...clusterTools, "import"], "name", "Context of the kubeconfig. Default: its current one."),
  text("cluster-name", ["join"], "name", "Name that the cluster asks for."),
  text("client-id", ["join"], "id", "What the cluster is known by. Default: the UID of its namespace kube-system."),
  list("label", ["join"], "key=value", "A label that the agent proposes; may be given many times."),
  text("agent-namespace", ["join"], "name", "Namespace of the agent.", "rollcall-agent"),
  text("agent-image", ["join"], "image", "Image of the agent. Default: what the values say, or rollcall."),
  choice(
    "protocol",
    ["join"],
    ["rollcall", "fleet", "kubefleet", "clusternet"],
    "Whose agent is installed. fleet: with the values of a token; --client-id names the cluster. kubefleet: that of the declared Cluster --cluster-name, as the hub --hub-kubeconfig says. clusternet: with what a token has for --cluster-name.",
    "rollcall",
  ),
  flag("print-flags", ["join"], "Print the flags that Clusternet's agent is started with, and change nothing."),
  text(
    "install-url",
    ["join"],
    "url",
    "Install nothing: print an address below this one for kubectl apply -f, which the daemon serves once, within 15 minutes.",
  ),
  flag("dry-run", ["join"], "Print the manifests as YAML and change nothing."),
  flag("dry-run", ["import"], "Print the files and write none."),
  flag("watch", ["import"], "cluster-api: go on, and write the file of each new cluster as it comes."),
  flag("show-secrets", ["join"], "Print the values with the manifests; every reader can join by them."),
  text("workspace", ["init", "add token", "add cluster"], "name", "Workspace of what the files declare.", "fleet"),
  text(
    "workspace",
    ["import"],
    "name",
    "Workspace of what has no namespace on that hub: KubeFleet's and Clusternet's members.",
    "fleet",
  ),
  text("workspace", ["remove cluster"], "name", "Workspace of the cluster, where more than one has its name."),
  text("dir", workTree, "folder", "Work tree of the fleet repository.", "."),
  list("label", ["add token", "add cluster"], "key=value", "A label of its clusters; may be given many times."),
  text("ttl", ["add token"], "duration", "How long the token is valid, such as 240h. Default: until its file goes."),
  count("max-registrations", ["add token"], "n", "How many clusters may join by it. 0: any number.", 0),
  list("cluster-names", ["add token"], "names", "Names that may join by it, with * and ?. Default: any new name."),
  list("agent-labels", ["add token"], "keys", "Labels that an agent may propose. Default: none."),
  choice("approval", ["add token"], ["Automatic", "PullRequest"], "Who lets a new cluster in.", "Automatic"),
  list(
    "age-recipient",
    ["add cluster"],
    "age1...",
    "Encrypt the kubeconfig for it, as a SOPS file beside the cluster's.",
  ),
  flag(
    "local",
    ["add cluster"],
    "The hub is the cluster: its agent is installed on the hub of --hub-kubeconfig, as a member of its own fleet.",
  ),
  text("server", ["add cluster"], "url", "Address of the cluster as the hub reaches it. Default: the kubeconfig's."),
  flag("all", ["uninstall"], "Everything: clusters with their agents, tokens, repositories, definitions."),
  flag("yes", ["uninstall"], "Do not ask."),
  flag(
    "abandon-unreachable",
    ["uninstall"],
    "Go on also when agents could not be removed; they stay in their clusters.",
  ),
  text("timeout", ["uninstall"], "duration", "How long agents may take to be removed.", "2m"),
].map((option) => ({ ...option, isFlagOnly: true }));
