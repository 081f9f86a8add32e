import { AppError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../src/model/kubernetes.ts";
import { describeRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";

/**
 * A downstream cluster in memory, for benchmarks with more agents than one machine has clusters for: it holds what an agent
 * reads and writes in its own cluster, and refuses everything else.
 */
export function simulatedCluster(options: {
  readonly uid: string;
  readonly agentNamespace: string;
  /** Text of key `values` of the agent's Secret. */
  readonly values: string;
}): KubeApi {
  const { uid, agentNamespace, values } = options;
  const objects = new Map<string, KubeObject>();
  const put = (ref: ObjectRef, object: KubeObject): KubeObject => {
    objects.set(describeRef(ref), object);
    return object;
  };
  const secret = (name: string, data: Record<string, string>): void => {
    const metadata = { name, namespace: agentNamespace, resourceVersion: "1" };
    put(
      { type: resourceTypes.secret, namespace: agentNamespace, name },
      { apiVersion: "v1", kind: "Secret", metadata, data },
    );
  };
  const kubeSystem = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid } };
  put({ type: resourceTypes.namespace, name: "kube-system" }, kubeSystem);
  secret("rollcall-agent-values", { values: Buffer.from(values).toString("base64") });
  secret("rollcall-agent-identity", {});
  const node: KubeObject = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1" },
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      capacity: { cpu: "4", memory: "16Gi" },
      allocatable: { cpu: "4", memory: "15Gi" },
    },
  };
  const refuse = (): never => {
    throw new AppError("E_UNSUPPORTED", "a simulated cluster does not do that");
  };
  return {
    server: `simulated:${uid}`,
    requestCounts: new Map(),
    get: async (ref) => objects.get(describeRef(ref)),
    list: async (type) => ({ items: type === resourceTypes.node ? [node] : [], resourceVersion: "1" }),
    mergePatch: async (ref, patch) => {
      const live = objects.get(describeRef(ref));
      if (!live) throw new AppError("E_KUBE_NOT_FOUND", `patch ${describeRef(ref)}: not found`);
      const resourceVersion = String(Number(live.metadata.resourceVersion) + 1);
      const merged = merge(live, patch);
      return put(ref, { ...live, ...merged, metadata: { ...live.metadata, resourceVersion } });
    },
    getRaw: async (path) => ({ status: 200, text: path === "/version" ? '{"gitVersion":"v1.34.4"}' : "ok" }),
    close: async () => undefined,
    watch: refuse,
    create: refuse,
    update: refuse,
    apply: refuse,
    delete: refuse,
    requestToken: refuse,
  };
}

/** RFC 7386. */
function merge(target: Readonly<Record<string, unknown>>, patch: JsonObject): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isJsonObject(value) ? merge(isJsonObject(before) ? before : {}, value) : value;
  }
  return merged;
}
