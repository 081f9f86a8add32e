/** One cluster's file. `bad`: with an error; `garbled`: it is unknown what it declares. */
export interface FileState {
  readonly state: "good" | "bad" | "garbled";
  readonly protocol: "rollcall" | "clusternet";
  readonly previousName?: string;
}

/** What a commit declares, before it is text. */
export interface Tree {
  readonly clusters: ReadonlyMap<string, FileState>;
  /** A new file that cannot be identified. */
  readonly hasStray: boolean;
  /** A rule that gives each of `keepers` a label. */
  readonly hasRule: boolean;
}

export type RemovalKind = "leave" | "move" | "protocol" | "label";

/** A removal that happened on the hub. */
export interface SeenRemoval {
  readonly kind: RemovalKind;
  readonly name: string;
  /** The new protocol. */
  readonly to?: string;
}

/** Clusters that a sequence deletes, breaks, renames. */
export const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
/** Its deletion is refused until its protection is taken away on the hub. */
export const protectedName = "h";
/** Clusters whose files never change: they lose a label when the rule is deleted. */
export const keepers = ["keep-1", "keep-2", "keep-3"];

/** The name of a cluster after its rename. */
export const renamed = (name: string): string => `${name}-new`;
const fresh: FileState = { state: "good", protocol: "rollcall" };

export const firstTree: Tree = {
  clusters: new Map([...names, ...keepers].map((name): [string, FileState] => [name, fresh])),
  hasStray: false,
  hasRule: true,
};

export interface Edit {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly rename: readonly string[];
  readonly break: readonly string[];
  readonly garble: readonly string[];
  readonly changeProtocol: readonly string[];
  readonly hasStray: boolean;
  readonly hasRule: boolean;
}

/** The tree after an edit. A name means the cluster whether or not it is renamed. */
export function editTree({ clusters }: Tree, edit: Edit): Tree {
  const next = new Map(clusters);
  const change = (some: readonly string[], how: (file: FileState) => FileState): void => {
    for (const name of some.flatMap((one) => [one, renamed(one)])) {
      const file = next.get(name);
      if (file) next.set(name, how(file));
    }
  };
  for (const name of edit.add) {
    next.delete(renamed(name));
    next.set(name, fresh);
  }
  for (const name of edit.rename) {
    const file = next.get(name);
    if (!next.delete(name)) continue;
    next.set(renamed(name), { ...fresh, protocol: file?.protocol ?? "rollcall", previousName: name });
  }
  change(edit.changeProtocol, (file) =>
    file.previousName === undefined
      ? { ...file, state: "good", protocol: file.protocol === "rollcall" ? "clusternet" : "rollcall" }
      : file,
  );
  change(edit.break, (file) => ({ ...file, state: "bad" }));
  change(edit.garble, (file) => ({ ...file, state: "garbled" }));
  for (const name of edit.remove) {
    next.delete(name);
    next.delete(renamed(name));
  }
  return { clusters: next, hasStray: edit.hasStray, hasRule: edit.hasRule };
}

/** True when the tree asks for this removal: what an approval in its commit can mean. */
export function asksFor({ clusters, hasRule }: Tree, { kind, name, to }: SeenRemoval): boolean {
  const successor = clusters.get(renamed(name));
  const isRenamed = successor?.previousName === name;
  switch (kind) {
    case "leave":
      // Nothing shows that a garbled file is the renamed one.
      return !clusters.has(name) && (!isRenamed || successor.state === "garbled");
    case "move":
      return !clusters.has(name) && isRenamed;
    case "protocol":
      return clusters.get(name)?.protocol === to;
    case "label":
      return !hasRule;
  }
}

/** The files of the tree. */
export function renderTree({ clusters, hasStray, hasRule }: Tree): Record<string, string> {
  const files = [...clusters].map(([name, file]): [string, string] => [`${name}.yaml`, renderFile(name, file)]);
  const rule =
    "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterLabels\nmetadata: {name: tier}\nspec:\n" +
    "  selector: {matchLabels: {kind: keeper}}\n  labels: {tier: gold}\n";
  return {
    ...Object.fromEntries(files),
    ...(hasStray ? { "stray.yaml": "kind: [" } : {}),
    ...(hasRule ? { "rule.yaml": rule } : {}),
  };
}

function renderFile(name: string, { state, protocol, previousName }: FileState): string {
  if (state === "garbled") return "kind: [";
  const labels = keepers.includes(name) ? ", labels: {kind: keeper}" : "";
  const spec = [
    state === "good" ? `displayName: ${name}` : `displayNmae: ${name}`,
    `protocol: ${protocol}`,
    ...(previousName === undefined ? [] : [`previousName: ${previousName}`]),
    ...(name === protectedName ? ["deletionProtection: true"] : []),
  ];
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}${labels}}\nspec: {${spec.join(", ")}}\n`;
}
