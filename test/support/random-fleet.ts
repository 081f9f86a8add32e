import { seededRandom } from "./seeded-random.ts";

/** One commit of a random history: files to write (null removes) and the message. */
export interface RandomCommit {
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
}

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const environments = ["prod", "staging", "dev"];
const regions = ["eu", "us"];

/** A history of a fleet repository, the same for the same seed: everything that users do to files, mistakes included. */
export function createRandomFleet(seed: number): { next(): RandomCommit } {
  const random = seededRandom(seed);
  const present = new Set<string>();
  let count = 0;
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[], fallback: T): T => items[below(items.length)] ?? fallback;

  const cluster = (name: string): string => {
    const labels = [`env: ${pick(environments, "dev")}`, `region: ${pick(regions, "eu")}`];
    if (below(3) === 0) labels.push(`team: t${below(3)}`);
    const spec = [`displayName: ${name} ${below(3)}`];
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
  const makers: Readonly<Record<string, (name: string) => string>> = {
    clusters: cluster,
    rules: (name) =>
      `${header}kind: ClusterLabels\nmetadata: {name: ${name}}\nspec:\n  selector: {${selector()}}\n  priority: ${below(9)}\n  labels: {tier: v${below(3)}}\n`,
    defaults: (name) =>
      `${header}kind: ClusterDefaults\nmetadata: {name: ${name}}\nspec:\n  selector: {${selector()}}\n  priority: ${below(9)}\n  heartbeat: {periodSeconds: ${30 + below(5) * 10}}\n`,
    groups: (name) => `${header}kind: ClusterGroup\nmetadata: {name: ${name}}\nspec:\n  selector: {${selector()}}\n`,
    tokens: (name) =>
      `${header}kind: ClusterRegistrationToken\nmetadata: {name: ${name}}\nspec:\n  ttl: ${24 * (1 + below(5))}h\n  maxRegistrations: ${below(4)}\n`,
  };
  const change = (files: Record<string, string | null>): void => {
    const known = [...present].sort();
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
    const name = `${folder.charAt(0)}-${below(12)}`;
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
