import { seededRandom } from "./seeded-random.ts";

/** One commit of a random history: files to write (null removes) and the message. */
export interface RandomCommit {
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
}

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const environments = ["prod", "staging", "dev"];
const regions = ["eu", "us"];

export interface RandomFleetOptions {
  /** Clusters and tokens of every join protocol, kubeconfigs, renames and changes of protocol too. Default false. */
  readonly isWide?: boolean;
}

const protocols = ["rollcall", "rollcall", "fleet", "kubefleet", "clusternet"];

/** A history of a fleet repository, the same for the same seed: everything that users do to files, mistakes included. */
export function createRandomFleet(seed: number, { isWide = false }: RandomFleetOptions = {}): { next(): RandomCommit } {
  const random = seededRandom(seed);
  const present = new Set<string>();
  let count = 0;
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[], fallback: T): T => items[below(items.length)] ?? fallback;

  // Histories share a hub, and some names of other projects are names of the whole hub.
  const nameOf = (letter: string, index: number): string => `${letter}-${isWide ? `${seed}-` : ""}${index}`;
  const wide = (previousName: string | undefined): string[] => {
    if (!isWide) return [];
    const protocol = pick(protocols, "rollcall");
    const spec = [`protocol: ${protocol}`];
    if (protocol === "rollcall" && below(3) === 0)
      spec.push(
        `kubeConfigSecretRef: {name: kubeconfig-${below(3)}}`,
        `deletionPolicy: ${pick(["Uninstall", "Detach"], "")}`,
      );
    if (previousName !== undefined) spec.push(`previousName: ${previousName}`);
    return spec;
  };
  const cluster = (name: string, previousName?: string): string => {
    const labels = [`env: ${pick(environments, "dev")}`, `region: ${pick(regions, "eu")}`];
    if (below(3) === 0) labels.push(`team: t${below(3)}`);
    const spec = [`displayName: ${name} ${below(3)}`, ...wide(previousName)];
    if (below(3) === 0) spec.push(`deletionProtection: ${below(2) === 0}`);
    if (below(3) === 0) spec.push(`heartbeat: {periodSeconds: ${30 + below(3) * 30}}`);
    if (below(3) === 0) spec.push(`agent: {version: 0.${below(3)}.0, logLevel: ${pick(["info", "debug"], "info")}}`);
    if (below(4) === 0) spec.push(`taints: [{key: t, value: "${below(2)}", effect: NoSchedule}]`);
    if (below(12) === 0) spec.push("displayNmae: oops");
    return `${header}kind: Cluster\nmetadata:\n  name: ${name}\n  labels: {${labels.join(", ")}}\nspec:\n${spec.map((line) => `  ${line}\n`).join("")}`;
  };
  const selector = (): string =>
    pick(
      [
        `matchLabels: {env: ${pick(environments, "dev")}}`,
        `matchLabels: {region: ${pick(regions, "eu")}}`,
        "names: [c-*]",
      ],
      "",
    );
  const wideToken = (): string => {
    if (!isWide) return "";
    const protocol = pick(["rollcall", "fleet", "clusternet"], "rollcall");
    return `  protocol: ${protocol}\n${protocol === "clusternet" ? `  clusterNames: [n-${below(3)}]\n` : ""}`;
  };
  const makers: Readonly<Record<string, (name: string) => string>> = {
    clusters: cluster,
    rules: (name) =>
      `${header}kind: ClusterLabels\nmetadata: {name: ${name}}\nspec:\n  selector: {${selector()}}\n  priority: ${below(9)}\n  labels: {tier: v${below(3)}}\n`,
    defaults: (name) =>
      `${header}kind: ClusterDefaults\nmetadata: {name: ${name}}\nspec:\n  selector: {${selector()}}\n  priority: ${below(9)}\n  heartbeat: {periodSeconds: ${30 + below(5) * 10}}\n`,
    groups: (name) => `${header}kind: ClusterGroup\nmetadata: {name: ${name}}\nspec:\n  selector: {${selector()}}\n`,
    tokens: (name) =>
      `${header}kind: ClusterRegistrationToken\nmetadata: {name: ${name}}\nspec:\n  ttl: ${24 * (1 + below(5))}h\n  maxRegistrations: ${below(4)}\n${wideToken()}`,
  };
  const change = (files: Record<string, string | null>): void => {
    const known = [...present].sort();
    const clusters = known.filter((path) => path.startsWith("clusters/") && files[path] === undefined);
    if (isWide && count > 0 && clusters.length > 0 && below(6) === 0) {
      const path = pick(clusters, "");
      const name = nameOf("c", below(40));
      if (present.has(`clusters/${name}.yaml`)) return;
      present.delete(path);
      files[path] = null;
      present.add(`clusters/${name}.yaml`);
      files[`clusters/${name}.yaml`] = cluster(name, path.replace(/^clusters\/|\.yaml$/gu, ""));
      return;
    }
    const action = below(10);
    if (action < 2 && known.length > 0) {
      const path = pick(known, "");
      present.delete(path);
      files[path] = null;
      return;
    }
    if (action < 5 && known.length > 0) {
      const path = pick(known, "");
      const [folder = "", file = ""] = path.split("/");
      files[path] = below(15) === 0 ? "not: [yaml" : (makers[folder]?.(file.replace(".yaml", "")) ?? "");
      return;
    }
    const folder = pick(["clusters", "clusters", "clusters", "rules", "defaults", "groups", "tokens"], "clusters");
    const name = nameOf(folder.charAt(0), below(12));
    files[`${folder}/${name}.yaml`] = makers[folder]?.(name) ?? "";
    present.add(`${folder}/${name}.yaml`);
  };

  return {
    next() {
      const files: Record<string, string | null> = {};
      const size = count === 0 ? 20 : 1 + below(5);
      for (let index = 0; index < size; index += 1) change(files);
      count += 1;
      return {
        files,
        message: below(4) === 0 ? `change ${count}\n\nRollcall-Allow-Deletions: ${below(6)}\n` : `change ${count}\n`,
      };
    },
  };
}
