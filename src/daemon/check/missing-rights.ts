import { mapConcurrently } from "../../core/map-concurrently.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textsAt } from "../../core/read-json.ts";
import type { AccessQuestion } from "../../kube/access-review.ts";
import { mayDo } from "../../kube/access-review.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { DaemonRule } from "../../model/generated/daemon-rights.ts";
import type { NeededRights } from "./needed-rights.ts";

const fieldManager = "rollcall-check";
/** A busy hub answers a few of them beside its own work. */
const mostAtOnce = 8;

interface Right extends AccessQuestion {
  readonly why: string;
}

/** Rights of one rule that are missing, as a line such as `create, patch secrets: keeps the values of tokens`. */
export interface MissingRights {
  /** Undefined: in the whole hub. */
  readonly namespace: string | undefined;
  readonly lines: readonly string[];
}

/**
 * Asks the hub which of the rights the caller does not have. Nothing is written: reviews are questions. An administrator
 * costs one question, a namespace one more, and each right that the hub's rules do not list one.
 */
export async function findMissingRights(
  hubApi: KubeApi,
  needed: readonly NeededRights[],
  signal: AbortSignal,
): Promise<readonly MissingRights[]> {
  const everything: Right = { group: "*", resource: "*", verb: "*", why: "" };
  if (await isAllowed(hubApi, everything, undefined, signal)) return [];
  const found: MissingRights[] = [];
  for (const { namespace, rules } of needed) {
    const listed = namespace === undefined ? [] : await rulesIn(hubApi, namespace, signal);
    const unlisted = rules.flatMap(rightsOf).filter((right) => !listed.some((rule) => grants(rule, right)));
    const answers = await mapConcurrently(unlisted, mostAtOnce, async (right) => ({
      right,
      isHeld: await isAllowed(hubApi, right, namespace, signal),
    }));
    const missing = answers.filter(({ isHeld }) => !isHeld).map(({ right }) => right);
    if (missing.length > 0) found.push({ namespace, lines: linesOf(missing) });
  }
  return found;
}

function rightsOf({ apiGroups, resources, resourceNames, verbs, why }: DaemonRule): Right[] {
  const names: readonly (string | undefined)[] = resourceNames ?? [undefined];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      names.flatMap((name) =>
        verbs.map((verb) => ({ group, resource, verb, why, ...(name === undefined ? {} : { name }) })),
      ),
    ),
  );
}

function isAllowed(
  hubApi: KubeApi,
  right: Right,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  return mayDo(hubApi, { ...right, namespace }, { fieldManager, signal });
}

/** The rules that the hub lists for the caller. They may be incomplete: what they do not have is asked for. */
async function rulesIn(hubApi: KubeApi, namespace: string, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    metadata: { name: "" },
    spec: { namespace },
  };
  return objectsAt(await hubApi.create(review, { fieldManager, signal }), "status", "resourceRules");
}

function grants(rule: JsonObject, { group, resource, verb, name }: Right): boolean {
  const has = (field: string, ...values: readonly string[]): boolean =>
    textsAt(rule, field).some((value) => value === "*" || values.includes(value));
  const [, subresource] = resource.split("/");
  const resources = subresource === undefined ? [resource] : [resource, `*/${subresource}`];
  const names = textsAt(rule, "resourceNames");
  const isNamed = names.length === 0 || (name !== undefined && names.includes(name));
  return has("apiGroups", group) && has("resources", ...resources) && has("verbs", verb) && isNamed;
}

/** One line for each resource and purpose. */
function linesOf(rights: readonly Right[]): string[] {
  const verbsOf = new Map<string, string[]>();
  for (const { group, resource, verb, name, why } of rights) {
    const what = `${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` ${name}`}: ${why}`;
    verbsOf.set(what, [...(verbsOf.get(what) ?? []), verb]);
  }
  return [...verbsOf].map(([what, verbs]) => `${verbs.join(", ")} ${what}`);
}
