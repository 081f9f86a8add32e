import type { ProtocolName } from "../../src/model/generated/protocol.ts";
import type { RepositorySpec } from "../../src/model/generated/repository.ts";
import { seededRandom } from "./seeded-random.ts";

/** A cluster of a scenario. */
export interface ScenarioMember {
  readonly name: string;
  readonly protocol: ProtocolName;
  /** A file declares it before the agent comes. Otherwise its token's registration makes it. */
  readonly isDeclared: boolean;
  /** An agent joins as it before the commit that is planned. */
  readonly isJoined: boolean;
}

/** A fleet that was set up, and one commit that is planned and then run; the same for the same seed. */
export interface Scenario {
  readonly members: readonly ScenarioMember[];
  readonly before: Readonly<Record<string, string>>;
  readonly commit: { readonly files: Readonly<Record<string, string | null>>; readonly message: string };
  readonly spec: Partial<RepositorySpec>;
  /** Members that are suspended by their annotation. */
  readonly suspended: readonly string[];
  /** The commits carry a signature of a key that the Repository lists. Only with `spec.verify`. */
  readonly isSigned: boolean;
  readonly workspaceLimit?: readonly string[];
  /** Files of a second Repository of the same hub. */
  readonly other?: Readonly<Record<string, string>>;
  /** What the scenario is made of, for messages. */
  readonly deeds: readonly string[];
}

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const protocols: readonly ProtocolName[] = ["rollcall", "fleet", "kubefleet", "clusternet"];

const deeds = [
  "keep",
  "change a label",
  "change its spec",
  "remove",
  "remove",
  "rename",
  "move to another file",
  "change its protocol",
  "break its file",
] as const;

export const tokenNames = { rollcall: "tr", fleet: "tf", clusternet: "tc" } as const;

export function createScenario(seed: number, workspace: string): Scenario {
  const random = seededRandom(seed * 104_729);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[], fallback: T): T => items[below(items.length)] ?? fallback;
  const members = Array.from({ length: 7 }, (_, index): ScenarioMember => {
    const protocol = protocols[index % 4] ?? "rollcall";
    const isDeclared = protocol === "kubefleet" || protocol === "fleet" || below(4) > 0;
    return { name: `m${seed}-${index}`, protocol, isDeclared, isJoined: !isDeclared || below(3) > 0 };
  });
  const namesOf = (wanted: ProtocolName): string[] =>
    members.filter(({ protocol }) => protocol === wanted).map(({ name }) => name);
  const before: Record<string, string> = {
    "tokens/rollcall.yaml": tokenFile(`${tokenNames.rollcall}-${seed}`, "rollcall", namesOf("rollcall")),
    "tokens/fleet.yaml": tokenFile(`${tokenNames.fleet}-${seed}`, "fleet", namesOf("fleet")),
    "tokens/clusternet.yaml": tokenFile(`${tokenNames.clusternet}-${seed}`, "clusternet", namesOf("clusternet")),
    "groups/all.yaml": `${header}kind: ClusterGroup\nmetadata: {name: g-${seed}}\nspec: {selector: {matchLabels: {env: dev}}}\n`,
  };
  for (const member of members) if (member.isDeclared) before[pathOf(member.name)] = clusterFile(member, {});
  const files: Record<string, string | null> = {};
  const done: string[] = [];
  const note = (name: string, deed: string): void => void done.push(`${deed} ${name}`);
  for (const member of members) {
    const { name } = member;
    const path = pathOf(name);
    if (!member.isDeclared) {
      if (below(2) === 0) continue;
      files[path] = clusterFile(member, { env: "prod" });
      note(name, "declare");
      continue;
    }
    const deed = pick(deeds, "keep");
    if (deed !== "keep") note(`${name} (${member.protocol}${member.isJoined ? ", joined" : ""})`, deed);
    switch (deed) {
      case "keep":
        break;
      case "change a label":
        files[path] = clusterFile(member, { env: "prod" });
        break;
      case "change its spec":
        files[path] = clusterFile(member, { display: "changed", period: 30 + below(3) * 30 });
        break;
      case "remove":
        files[path] = null;
        break;
      case "rename":
        files[path] = null;
        files[pathOf(`${name}-b`)] = clusterFile({ ...member, name: `${name}-b` }, { previous: name });
        break;
      case "move to another file":
        files[path] = null;
        files[`moved/${name}.yaml`] = clusterFile(member, {});
        break;
      case "change its protocol":
        files[path] = clusterFile(
          {
            ...member,
            protocol: pick(
              protocols.filter((one) => one !== member.protocol),
              "rollcall",
            ),
          },
          {},
        );
        break;
      case "break its file":
        files[path] = `${clusterFile(member, {})}  displayNmae: oops\n`;
        break;
    }
  }
  for (let index = 0; index < 1 + below(2); index++) {
    const added = { name: `n${seed}-${index}`, protocol: pick(protocols, "rollcall") };
    files[pathOf(added.name)] = clusterFile(added, { env: pick(["dev", "prod"], "dev") });
    note(`${added.name} (${added.protocol})`, "add");
  }
  const tokenDeed = below(6);
  if (tokenDeed === 0) files["tokens/fleet.yaml"] = null;
  if (tokenDeed === 1) files["tokens/rollcall.yaml"] = tokenFile(`${tokenNames.rollcall}-${seed}`, "fleet");
  if (tokenDeed === 2)
    files["tokens/clusternet.yaml"] = tokenFile(`${tokenNames.clusternet}-${seed}`, "clusternet", ["x"]);
  if (tokenDeed === 3) files["tokens/more.yaml"] = tokenFile(`more-${seed}`, pick(["rollcall", "fleet"], "rollcall"));
  if (tokenDeed < 4) note(["fleet", "rollcall", "clusternet", "more"][tokenDeed] ?? "", "change token");
  if (below(3) === 0) {
    files["rules/tier.yaml"] =
      `${header}kind: ClusterLabels\nmetadata: {name: tier-${seed}}\nspec: {selector: {matchLabels: {env: dev}}, labels: {tier: gold}}\n`;
    note("tier", "add a rule");
  }
  const approved = below(3) === 0 ? 0 : 9;
  const special = below(9);
  const spec: Partial<RepositorySpec> = {
    deletionBudget: { maximum: pick([0, 9, 9], 9), minimum: 0, percent: 100 },
    ...(special === 0 ? { suspend: true } : {}),
    writeBack: special === 1 ? { mode: "None" } : { interval: "1s" },
    ...(special === 2 || special === 3
      ? {
          verify: {
            keysSecretRef: { name: "signers" },
            paths: ["clusters/", "tokens/", "moved/", "groups/", "rules/"],
          },
        }
      : {}),
    ...(special === 4 ? { policies: "Enforce" as const } : {}),
    ...(special === 5 ? { paths: ["/clusters", "/tokens"] } : {}),
  };
  if (special === 4) before["policies/p.yaml"] = policy;
  const suspended = below(3) === 0 ? [pick(members, members[0] as ScenarioMember).name] : [];
  const others =
    special === 6 ? { [pathOf(`o${seed}`)]: clusterFile({ name: `o${seed}`, protocol: "rollcall" }, {}) } : {};
  const contested = `n${seed}-0`;
  return {
    members,
    before,
    commit: { files, message: approved === 0 ? "change\n" : `change\n\nRollcall-Allow-Deletions: ${approved}\n` },
    spec,
    suspended,
    isSigned: special === 2,
    ...(special === 7 ? { workspaceLimit: [workspace] } : {}),
    ...(special === 6
      ? { other: { ...others, [pathOf(contested)]: clusterFile({ name: contested, protocol: "rollcall" }, {}) } }
      : {}),
    deeds: [
      ...done,
      `settings ${special}: ${JSON.stringify(spec)}`,
      `approved ${approved}`,
      ...suspended.map((name) => `suspended ${name}`),
    ],
  };
}

const policy = `${header}kind: Policy
metadata: {name: environments}
spec:
  scope: {kinds: [Cluster]}
  rules:
    - expression: object.metadata.labels['env'] != 'prod'
      message: production is closed
`;

function pathOf(name: string): string {
  return `clusters/${name}.yaml`;
}

function clusterFile(
  { name, protocol }: Pick<ScenarioMember, "name" | "protocol">,
  {
    env = "dev",
    display = name,
    period,
    previous,
  }: { readonly env?: string; readonly display?: string; readonly period?: number; readonly previous?: string },
): string {
  const spec = [
    `displayName: ${display}`,
    `protocol: ${protocol}`,
    // The agents of these tests work on clusters in memory, from which nothing can be uninstalled.
    "deletionPolicy: Detach",
    ...(protocol === "fleet" ? [`clientID: ${previous ?? name}`] : []),
    ...(period === undefined ? [] : [`heartbeat: {periodSeconds: ${period}}`]),
    ...(previous === undefined ? [] : [`previousName: ${previous}`]),
  ];
  return `${header}kind: Cluster\nmetadata:\n  name: ${name}\n  labels: {env: ${env}}\nspec:\n${spec.map((line) => `  ${line}\n`).join("")}`;
}

function tokenFile(name: string, protocol: ProtocolName, names: readonly string[] = []): string {
  const limit = names.length === 0 ? "" : `  clusterNames: [${names.join(", ")}]\n`;
  return `${header}kind: ClusterRegistrationToken\nmetadata: {name: ${name}}\nspec:\n  protocol: ${protocol}\n  clusterLabels: {from-token: "yes"}\n${limit}`;
}
