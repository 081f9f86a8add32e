import { objectAt, textAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Operations } from "../operations/operations.ts";
import { matchesSelector } from "../selectors/object-selector.ts";
import type { AdmissionPolicy, PolicyBinding } from "./admission-policy.ts";

/** The objects that a binding runs its policy with (undefined: without), or why they are unknown. */
export type Params =
  | { readonly kind: "params"; readonly params: readonly (KubeObject | undefined)[] }
  | { readonly kind: "wrong"; readonly message: string; readonly isOfPolicy?: boolean };

/** Source: k8s.io/apiserver, admission/plugin/policy/generic CollectParams. */
export function collectParams(
  policy: AdmissionPolicy,
  binding: PolicyBinding,
  scope: { readonly operations: Operations; readonly namespace: string },
): Params {
  const { paramKind } = policy;
  const { paramRef } = binding;
  if (paramKind === undefined || paramRef === undefined) return { kind: "params", params: [undefined] };
  const definition = scope.operations.definitionOfKind(paramKind.apiVersion, paramKind.kind);
  if (definition === undefined) {
    const message = `failed to find resource referenced by paramKind: '${describeKind(paramKind)}'`;
    return { kind: "wrong", message, isOfPolicy: true };
  }
  const named = textAt(paramRef, "namespace") ?? "";
  if (!definition.isNamespaced && named !== "") {
    return wrong("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const namespace = named === "" ? scope.namespace : named;
  if (definition.isNamespaced && namespace === "") {
    return wrong("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  const place = definition.isNamespaced ? { namespace } : {};
  const params = findParams(paramRef, {
    get: (name) => scope.operations.get({ definition, name, ...place }),
    list: () => scope.operations.list({ definition, ...place }).items,
  });
  if (params.length === 0 && textAt(paramRef, "parameterNotFoundAction") === "Deny") {
    return wrong("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return { kind: "params", params };
}

function findParams(
  paramRef: JsonObject,
  read: { readonly get: (name: string) => KubeObject | undefined; readonly list: () => readonly KubeObject[] },
): readonly KubeObject[] {
  const name = textAt(paramRef, "name") ?? "";
  if (name !== "") return [read.get(name)].filter((param) => param !== undefined);
  const selector = objectAt(paramRef, "selector") ?? {};
  return read.list().filter((param) => matchesSelector(selector, param.metadata.labels));
}

function describeKind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const [first = "", second] = apiVersion.split("/");
  const [group, version] = second === undefined ? ["", first] : [first, second];
  return `${group}/${version}, Kind=${kind}`;
}

function wrong(message: string): Params {
  return { kind: "wrong", message };
}
