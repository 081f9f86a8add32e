// A plan and a record of writes in the same words: by object, what becomes of it.
import type { PlanReport } from "../../src/model/generated/plan-report.ts";
import { describeRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { AuditedWrite } from "./audited-hub.ts";

/** What is deleted and created again is changed. */
export type Fate = "create" | "update" | "delete";
/** By `Kind/namespace/name`. */
export type Fates = ReadonlyMap<string, Fate>;

/** Writes that plans do not speak of, by resource, each with its reason. */
export const unplannedResources: Readonly<Record<string, string>> = {
  events: "told, not decided",
  repositories: "the record of the run itself",
  "serviceaccounts/token": "a credential that is issued: plans name it by its purpose",
};

const typesByResource = new Map(Object.values(resourceTypes).map((type) => [`${type.group}/${type.plural}`, type]));
export const uid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/u;

/** What a record of writes makes of each object. `isMeant`: of which namespaces; those of objects without one are "". */
export function auditedFates(writes: readonly AuditedWrite[], isMeant: (namespace: string) => boolean): Fates {
  const seen = new Map<string, AuditedWrite["verb"][]>();
  for (const { verb, group, resource, namespace, name } of writes) {
    const type = typesByResource.get(`${group}/${resource}`);
    if (type === undefined || resource in unplannedResources || !isMeant(namespace ?? "")) continue;
    const place = type.isNamespaced && namespace !== undefined ? { namespace } : {};
    const key = describeRef({ type, name: name.replace(uid, "<uid>"), ...place });
    seen.set(key, [...(seen.get(key) ?? []), verb]);
  }
  return fatesOf(seen);
}

/** The same of a plan: its changes, and what the hub does after each. */
export function plannedFates({ changes }: Pick<PlanReport, "changes">): Fates {
  const seen = new Map<string, AuditedWrite["verb"][]>();
  const keyOf = ({ kind, namespace, name }: NamedObject): string =>
    [kind, namespace, name.replace(uid, "<uid>")].filter((part) => part !== undefined).join("/");
  const note = (verb: AuditedWrite["verb"], object: NamedObject): void => {
    const key = keyOf(object);
    seen.set(key, [...(seen.get(key) ?? []), verb]);
  };
  for (const change of changes) note(verbOf[change.action], change);
  for (const { hubWork } of changes) {
    for (const object of hubWork?.creates ?? []) note("create", object);
    for (const object of hubWork?.updates ?? []) note("update", object);
  }
  const created = new Set([...seen].filter(([, verbs]) => verbs.includes("create")).map(([key]) => key));
  for (const object of changes.flatMap(({ hubWork }) => hubWork?.deletes ?? [])) {
    note("delete", object);
    // What one change deletes, another creates again.
    const key = keyOf(object);
    if (created.has(key)) seen.set(key, ["delete", "create"]);
  }
  return fatesOf(seen);
}

interface NamedObject {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

const verbOf = { Create: "create", Move: "create", Update: "update", Leave: "update", Delete: "delete" } as const;

function fatesOf(seen: ReadonlyMap<string, readonly AuditedWrite["verb"][]>): Fates {
  return new Map(
    [...seen].flatMap(([key, verbs]) => {
      const fate = fateOf(verbs);
      return fate === undefined ? [] : [[key, fate] as const];
    }),
  );
}

/** Undefined: it came and went. */
function fateOf(verbs: readonly AuditedWrite["verb"][]): Fate | undefined {
  const isMadeFirst = verbs[0] === "create";
  const lastDelete = verbs.lastIndexOf("delete");
  const isThere = lastDelete < 0 || verbs.lastIndexOf("create") > lastDelete;
  if (isMadeFirst) return isThere ? "create" : undefined;
  if (lastDelete < 0) return "update";
  return isThere ? "update" : "delete";
}

/**
 * Without what only the API server's own controllers delete: what is in a deleted namespace, and the Secrets of tokens
 * of deleted accounts.
 */
export function withoutGarbage(fates: Fates, tokenSecrets: ReadonlySet<string>): Fates {
  const gone = new Set(
    [...fates].flatMap(([key, fate]) => (key.startsWith("Namespace/") && fate === "delete" ? [key.slice(10)] : [])),
  );
  return new Map(
    [...fates].filter(([key, fate]) => {
      const [, namespace = ""] = key.split("/");
      const isInside = key.split("/").length === 3 && gone.has(namespace);
      return !isInside && !(fate === "delete" && tokenSecrets.has(key));
    }),
  );
}

/** Line by line, for a comparison that is easy to read. */
export function linesOf(fates: Fates): string[] {
  return [...fates].map(([key, fate]) => `${fate} ${key}`).sort();
}
