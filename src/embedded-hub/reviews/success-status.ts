import type { KubeObject } from "../../model/kubernetes.ts";

/** The answer to something that was done and has nothing to show. */
export function successStatus(code: number): KubeObject {
  return { kind: "Status", apiVersion: "v1", metadata: {} as KubeObject["metadata"], status: "Success", code };
}
