import { hasKubeconfig, kubeconfigSecretName } from "./by-kubeconfig.ts";
import { firstNameOf } from "./first-name.ts";
import { foreignPeriodSeconds } from "./foreign/agent-parts.ts";
import { clientIdOf, doorOf, foreignNames, foreignOf } from "./foreign/foreign-names.ts";
import type { World } from "./world.ts";

/** What a file of a cluster declares, as people mean it. */
export interface DeclaredCluster {
  /** A label's value: each edit of the file changes it. */
  readonly edition: string;
  /** The file cannot be parsed: what it declared before stays. */
  readonly isBroken: boolean;
  /** Of its file. */
  readonly blobId: string;
  readonly path: string;
  /** Its name before, if it was renamed. */
  readonly previousName: string | undefined;
}

/** Another name of a cluster. What the name decides, such as its tier, stays. */
export function nextNameOf(name: string, number: number): string {
  return `r${number}-${firstNameOf(name)}`;
}

export function clusterFile(name: string, edition: string, previousName?: string): string {
  const protocol = foreignOf(name);
  return [
    "apiVersion: rollcall.dev/v1alpha1",
    "kind: Cluster",
    "metadata:",
    `  name: ${name}`,
    `  labels: { edition: "${edition}", tier: ${tierOf(name)} }`,
    "spec:",
    `  clientID: ${clientIdOf(name)}`,
    ...(protocol === undefined
      ? []
      : [`  protocol: ${protocol}`, `  heartbeat: { periodSeconds: ${foreignPeriodSeconds} }`]),
    ...(hasKubeconfig(name) ? [`  kubeConfigSecretRef: { name: ${kubeconfigSecretName(name)} }`] : []),
    ...(previousName === undefined ? [] : [`  previousName: ${previousName}`]),
    `  displayName: Cluster ${name}, ${edition}`,
    `  taints: [{ key: example.com/edition, value: "${edition}", effect: NoSchedule }]`,
    ...(name.endsWith("2") ? ["  deletionGracePeriod: 4m"] : []),
    ...(policyOf(name) === undefined ? [] : [`  deletionPolicy: ${policyOf(name)}`]),
    "",
  ].join("\n");
}

/** What its file declares to become of the agent when the cluster is removed. By default an agent stays, but where the hub installed it. */
export function policyOf(name: string): "Uninstall" | "Detach" | undefined {
  if (isUninstalled(name)) return "Uninstall";
  return hasKubeconfig(name) && name.endsWith("4") ? "Detach" : undefined;
}

/** Whether its agent is asked to remove itself when the cluster is removed, or the hub removes it. */
export function isUninstalled(name: string): boolean {
  return /[13579]$/u.test(name);
}

/** By which label rules, defaults and groups select. */
export function tierOf(name: string): "gold" | "silver" {
  return /[02468]$/u.test(name) ? "gold" : "silver";
}

export const groupName = "gold";
export const rulesPath = "rules.yaml";

/** Labels for one tier, defaults for the other, and a group. `owner`: the label that the rule sets. */
export function rulesFile(owner: string): string {
  const document = (kind: string, name: string, lines: readonly string[]): string =>
    [`apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec:`, ...lines, ""].join("\n  ");
  const selector = (tier: string): string => `selector: { matchLabels: { tier: ${tier} } }`;
  return [
    document("ClusterLabels", "owner", [selector("gold"), `labels: { owner: "${owner}" }`]),
    document("ClusterDefaults", "debug", [selector("silver"), "agent: { logLevel: debug }"]),
    document("ClusterGroup", groupName, [selector("gold")]),
  ].join("\n---\n");
}

export const pacePath = "pace.yaml";

/** How often all agents of ours send heartbeats. */
export function paceFile(heartbeatSeconds: number): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1",
    "kind: ClusterDefaults",
    "metadata: { name: pace }",
    `spec: { selector: {}, heartbeat: { periodSeconds: ${heartbeatSeconds} } }`,
    "",
  ].join("\n");
}

/** The label that the rule of a commit sets; undefined where it has no rules. */
export function ownerAt({ remote }: World, commit: string | undefined): string | undefined {
  const { commits, blobs } = remote.objects;
  const blobId = commits.get(commit ?? "")?.files.get(rulesPath)?.blobId;
  const text = Buffer.from(blobs.get(blobId ?? "") ?? "").toString("utf8");
  return /owner: "([^"]*)"/u.exec(text)?.[1];
}

/** The author of what people commit. */
export const personName = "Person";

export const tokenName = "fleet-token";
export const tokenPath = "token.yaml";

/** Tokens by which exactly these clusters may be claimed: ours, and those of other protocols that have clusters. */
function tokenFile(clusterNames: readonly string[]): string {
  const document = (name: string, names: readonly string[], protocol = ""): string => {
    const spec = `spec:\n${protocol}  clusterNames: [${names.join(", ")}]\n`;
    return `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata:\n  name: ${name}\n${spec}`;
  };
  const own = clusterNames.filter((name) => foreignOf(name) === undefined && !hasKubeconfig(name));
  const others = foreignNames.flatMap((protocol): string[] => {
    const names = clusterNames.filter((name) => foreignOf(name) === protocol);
    const door = doorOf(protocol);
    return door === undefined || names.length === 0 ? [] : [document(door, names, `  protocol: ${protocol}\n`)];
  });
  return [document(tokenName, own), ...others].join("---\n");
}

/** Where commits and their files are. */
interface WithObjects {
  readonly remote: { readonly objects: Pick<World["remote"]["objects"], "commits"> };
}

/** The files of a commit that declare clusters, by path. The simulator wrote them: it reads what it means by them. */
export function clusterPaths({ remote }: WithObjects, commit: string | undefined): ReadonlyMap<string, string> {
  const files = commit === undefined ? undefined : remote.objects.commits.get(commit)?.files;
  const paths = [...(files?.keys() ?? [])].filter((path) => path.startsWith("clusters/"));
  return new Map(paths.map((path) => [path, nameOf(path)]));
}

/** Clusters that any commit ever declared, and this one does not. One whose agent was never installed is among them. */
export function undeclaredAt(world: WithObjects, commit: string): ReadonlySet<string> {
  const declared = new Set(clusterPaths(world, commit).values());
  const ever = [...world.remote.objects.commits.keys()].flatMap((one) => [...clusterPaths(world, one).values()]);
  return new Set(ever.filter((name) => !declared.has(name)));
}

/** What a commit declares, by name. */
export function declaredAt(world: World, commit: string | undefined): ReadonlyMap<string, DeclaredCluster> {
  const { objects } = world.remote;
  const files = commit === undefined ? undefined : objects.commits.get(commit)?.files;
  return new Map(
    [...clusterPaths(world, commit)].map(([path, name]) => {
      const blobId = files?.get(path)?.blobId ?? "";
      const text = Buffer.from(objects.blobs.get(blobId) ?? "").toString("utf8");
      const edition = /edition: "([^"]*)"/u.exec(text)?.[1];
      const previousName = /previousName: (\S+)/u.exec(text)?.[1];
      return [name, { edition: edition ?? "", isBroken: edition === undefined, blobId, path, previousName }];
    }),
  );
}

/** `clusters/c1.yaml` and `clusters/moved/c1.yaml` are of c1. */
export function nameOf(path: string): string {
  return /([^/]+)\.yaml$/u.exec(path)?.[1] ?? path;
}

export function headOf({ remote }: World): string | undefined {
  return remote.refs.get("main");
}

/**
 * Pushes a commit to main as a person does, on top of `head`; gives its id. The token names what is declared. With another head
 * than that of main it is a force-push.
 */
export function commitFiles(
  world: World,
  changes: ReadonlyMap<string, string | null>,
  message: string,
  head = headOf(world),
): string {
  const { remote, scheduler, story } = world;
  // By path: a branch may remove a file that main has moved, and whose cluster stays.
  const declared = new Map(clusterPaths(world, head));
  for (const [path, content] of changes) {
    if (content === null) declared.delete(path);
    else if (path.startsWith("clusters/")) declared.set(path, nameOf(path));
  }
  const names = new Set(declared.values());
  const id = remote.objects.commit({
    parents: head === undefined ? [] : [head],
    changes: new Map([...changes, [tokenPath, tokenFile([...names].sort())]]),
    message,
    author: { name: personName, email: "person@example.com" },
    committedAtMs: scheduler.wallMs(),
    allowsEmpty: true,
  });
  remote.move("main", id, "people");
  story.tell("people", `push ${id.slice(0, 8)}: ${message.replaceAll(/\n+/gu, " | ")}`);
  return id;
}
