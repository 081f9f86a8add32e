import { textAt } from "../../src/core/read-json.ts";
import { readAgentValues } from "../../src/join/rollcall/agent-values.ts";
import { installationObjects, renderManifest } from "../../src/join/rollcall/manifests/agent-manifest.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonPlane } from "./daemon-plane.ts";
import { planeWorkspace } from "./daemon-plane.ts";
import type { RunningProgram } from "./run-program.ts";

/** Installs an agent by the values of a token, in a namespace agent-<name>, as the chart would, and starts it. */
export async function joinByToken(session: DaemonPlane, token: string, name: string): Promise<RunningProgram> {
  const ref = { type: resourceTypes.secret, namespace: planeWorkspace, name: token };
  const filled = await session.until(ref, (object) => textAt(object, "data", "values") !== undefined);
  const text = Buffer.from(textAt(filled, "data", "values") ?? "", "base64").toString("utf8");
  const values = readAgentValues(JSON.parse(text));
  if ("lack" in values) throw new Error(`the token's values: ${values.lack}`);
  const namespace = `agent-${name}`;
  const manifest = renderManifest({ namespace, image: "rollcall:0.1.0", settings: {}, deadlineSeconds: 600 });
  const wanted = { ...values, cluster: { name, clientID: name } };
  for (const object of installationObjects(manifest, wanted)) {
    await session.admin.apply(object, { fieldManager: "helm" });
  }
  return session.startAgent(namespace);
}
