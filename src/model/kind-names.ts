import { objectAt, textAt, textsAt } from "../core/read-json.ts";
import { crds } from "./generated/crds.ts";
import { fileSchemas, recordSchemas } from "./generated/schemas.ts";

/** One kind with every name that a person may type for it, in lower case. */
export interface KindNames {
  readonly kind: string;
  /** As in a URL and in what `kubectl get` takes. */
  readonly plural: string;
  readonly shortNames: readonly string[];
}

/** Shorter names of commands of this program; the hub does not know them. */
const commandNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["ClusterGroup", ["group", "groups"]],
  ["ClusterRegistration", ["registration", "registrations"]],
  ["ClusterRegistrationToken", ["token", "tokens"]],
  ["ClusterReport", ["report", "reports"]],
  ["Repository", ["repo", "repos"]],
]);

/** Every kind of this project: kinds of the hub first, then kinds of files alone, then records of the status branch. */
export const allKindNames: readonly KindNames[] = [
  ...crds.map((crd) => {
    const names = objectAt(crd, "spec", "names");
    const kind = textAt(names, "kind") ?? "";
    return {
      kind,
      plural: textAt(names, "plural") ?? "",
      shortNames: [...textsAt(names, "shortNames"), ...(commandNames.get(kind) ?? [])],
    };
  }),
  ...[...Object.keys(fileSchemas), ...Object.keys(recordSchemas)]
    .filter((kind) => crds.every((crd) => textAt(crd, "spec", "names", "kind") !== kind))
    .map((kind) => ({ kind, plural: pluralOf(kind.toLowerCase()), shortNames: [] })),
];

const byName = new Map(
  allKindNames.flatMap((names) => {
    const { kind, plural, shortNames } = names;
    return [kind.toLowerCase(), plural, ...shortNames].map((name) => [name, names] as const);
  }),
);

/**
 * The kind that a person means: its name in any case, its plural or a short name, also with the group behind it, as `-o name`
 * prints it. Undefined: there is none.
 */
export function findKind(text: string): KindNames | undefined {
  return byName.get(text.toLowerCase().replace(/\.rollcall\.dev$/u, ""));
}

/** Every name that {@link findKind} knows. */
export const namesOfKinds: readonly string[] = [...byName.keys()];

function pluralOf(name: string): string {
  if (name.endsWith("s")) return name;
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}
