import { describe, expect, it } from "vitest";
import { createAgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";

describe("createAgentSecrets", () => {
  it("refuses what a newer agent has kept, and leaves it as it is", async () => {
    const namespace = "rollcall-agent";
    const api = simulatedCluster({ uid: "edge", agentNamespace: namespace, values: "" });
    const ref = { type: resourceTypes.secret, namespace, name: "rollcall-agent-identity" };
    const identity = Buffer.from(JSON.stringify({ format: 3, keys: {} })).toString("base64");
    const written = await api.mergePatch(ref, { data: { identity } }, { fieldManager: "test" });
    const secrets = createAgentSecrets(api, namespace);
    await expect(secrets.readIdentity(new AbortController().signal)).rejects.toMatchObject({
      code: "E_STORE_VERSION",
      message: "read Secret rollcall-agent/rollcall-agent-identity: it has format 3, this program reads 2",
    });
    expect(await api.get(ref)).toEqual(written);
  });
});
