import { stringify } from "yaml";
import { textAt } from "../../core/read-json.ts";
import { quotedForAll } from "../../core/yaml/quoted-for-all.ts";
import { noTrustKey, trustKeySecretName } from "../../hub/trust-key.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import type { PlainContext } from "./command-context.ts";
import { writeFileAtomically } from "../../system/write-file-atomically.ts";

/**
 * `rollcall backup --output-file FILE`: the one thing that a fleet cannot be rebuilt without, the hub's trust key, as the
 * manifest of its Secret, readable by its owner alone.
 * @throws E_KUBE_NOT_FOUND while no daemon has run on the hub
 */
export async function runBackup({ settings, environment, stdout, signal }: PlainContext): Promise<number> {
  const path = settings.requiredText("output-file");
  const namespace = settings.requiredText("namespace");
  const { hubApi } = await connectHub(settings, environment);
  try {
    const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
    const secret = await hubApi.get(ref, { signal });
    const kept = ["key", "epoch", "hubId", "succession"].map((name) => [name, textAt(secret, "data", name)] as const);
    const data = Object.fromEntries(kept.filter(([, value]) => value !== undefined));
    if (data["key"] === undefined) throw noTrustKey(namespace);
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: trustKeySecretName, namespace },
      type: "Opaque",
      data,
    };
    await writeFileAtomically(path, stringify(object, quotedForAll));
    stdout.write(`The hub's trust key is in ${path}. Its holder can pose as the hub: keep it in a safe place.\n`);
    return 0;
  } finally {
    await hubApi.close();
  }
}
