import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { CrdCondition } from "../resources/crd-conditions.ts";
import { conditionOf } from "../resources/crd-conditions.ts";

export interface GrantedNames {
  readonly acceptedNames: JsonObject;
  readonly namesAccepted: CrdCondition;
  readonly established: CrdCondition;
}

const fields = [
  ["plural", "PluralConflict"],
  ["singular", "SingularConflict"],
] as const;
const kindFields = [
  ["kind", "KindConflict"],
  ["listKind", "ListKindConflict"],
] as const;

/**
 * The names that a CRD gets beside the others of its group, and the conditions for them. Source:
 * apiextensions-apiserver, controller/status/naming_controller.go.
 */
export function grantNames(crd: KubeObject, others: readonly KubeObject[]): GrantedNames {
  const wanted = objectAt(crd, "spec", "names") ?? {};
  const granted = objectAt(crd, "status", "acceptedNames") ?? {};
  const group = textAt(crd, "spec", "group");
  const rivals = others
    .filter((other) => textAt(other, "spec", "group") === group)
    .map((other) => objectAt(other, "status", "acceptedNames"));
  const resources = new Set(
    rivals.flatMap((names) => [...textsOf(names, "plural", "singular"), ...textsAt(names, "shortNames")]),
  );
  const kinds = new Set(rivals.flatMap((names) => textsOf(names, "kind", "listKind")));
  const accepted: Record<string, JsonObject[string]> = { ...granted };
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const consider = (field: string, reason: string, used: ReadonlySet<string>): void => {
    const name = textAt(wanted, field) ?? "";
    if (name === textAt(granted, field) || !used.has(name)) accepted[field] = name;
    else conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
  };
  for (const [field, reason] of fields) consider(field, reason, resources);
  const taken = textsAt(wanted, "shortNames").filter(
    (name) => !textsAt(granted, "shortNames").includes(name) && resources.has(name),
  );
  if (taken.length === 0) setOrDelete(accepted, "shortNames", wanted["shortNames"]);
  else conflict = { reason: "ShortNamesConflict", message: takenText(taken) };
  for (const [field, reason] of kindFields) consider(field, reason, kinds);
  setOrDelete(accepted, "categories", wanted["categories"]);
  return {
    acceptedNames: accepted,
    namesAccepted:
      conflict === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...conflict },
    established: establishedOf(crd, conflict === undefined),
  };
}

/** True when there is nothing to grant. */
export function hasItsNames(crd: KubeObject): boolean {
  const { names, acceptedNames } = {
    names: objectAt(crd, "spec", "names"),
    acceptedNames: objectAt(crd, "status", "acceptedNames"),
  };
  return isJsonEqual(names, acceptedNames) && conditionOf(crd, "Established") !== undefined;
}

/** Once established, a CRD stays so: objects of its kind may exist. */
function establishedOf(crd: KubeObject, areNamesAccepted: boolean): CrdCondition {
  const old = conditionOf(crd, "Established");
  if (old?.status === "True") return old;
  if (areNamesAccepted) {
    return {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    };
  }
  return old ?? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}

function textsOf(names: JsonObject | undefined, ...keys: string[]): string[] {
  return keys.map((key) => textAt(names, key) ?? "").filter((name) => name !== "");
}

function takenText(names: readonly string[]): string {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function setOrDelete(names: Record<string, JsonObject[string]>, key: string, value: JsonObject[string]): void {
  if (value === undefined) delete names[key];
  else names[key] = value;
}
