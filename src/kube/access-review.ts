import type { JsonObject } from "../core/json.ts";
import { isTrueAt } from "../core/read-json.ts";
import type { KubeApi, WriteOptions } from "./kube.ts";

/** What is asked for, by the names of Kubernetes (authorization.k8s.io/v1, ResourceAttributes). */
export interface AccessQuestion {
  readonly group: string;
  /** The plural, alone or with its subresource: `clusters/status`. */
  readonly resource: string;
  readonly verb: string;
  /** Default: every name. */
  readonly name?: string | undefined;
  /** Default: the whole hub. */
  readonly namespace?: string | undefined;
}

/** Whether the caller's own rights allow it: a SelfSubjectAccessReview, which writes nothing. Throws what the server refuses. */
export async function mayDo(
  api: Pick<KubeApi, "create">,
  { group, resource, verb, name, namespace }: AccessQuestion,
  options: WriteOptions,
): Promise<boolean> {
  const [plural = "", subresource] = resource.split("/");
  const resourceAttributes: JsonObject = {
    group,
    resource: plural,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: { name: "" },
    spec: { resourceAttributes },
  };
  return isTrueAt(await api.create(review, options), "status", "allowed");
}
