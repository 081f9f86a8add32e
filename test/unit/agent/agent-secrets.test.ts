import { describe, expect, it } from "vitest";
import { createAgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { AppError } from "../../../src/core/errors.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";

const valuesOf = (token: string): AgentValues => ({
  hub: { url: "https://hub.example.com", caBundle: "ca", id: `sha256:${"1".repeat(64)}` },
  workspace: "east",
  token: { name: token, credential: "credential", proofKey: Buffer.alloc(32).toString("base64") },
  cluster: {},
});

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

  /** An agent that read values as the Secret has them, and then forgets them. */
  async function forgetting(whileForgetting: (api: KubeApi) => Promise<unknown>) {
    const namespace = "rollcall-agent";
    const signal = new AbortController().signal;
    const api = simulatedCluster({ uid: "edge", agentNamespace: namespace, values: JSON.stringify(valuesOf("old")) });
    const secrets = createAgentSecrets(api, namespace);
    await whileForgetting(api);
    await secrets.forgetValues(valuesOf("old"), signal);
    return { finding: await secrets.readValues(signal) };
  }

  it("forgets the values that it joined by", async () => {
    expect(await forgetting(() => Promise.resolve())).toEqual({ finding: { kind: "none" } });
  });

  it("keeps other values that were given while it joined", async () => {
    const ref = { type: resourceTypes.secret, namespace: "rollcall-agent", name: "rollcall-agent-values" };
    const data = { values: Buffer.from(JSON.stringify(valuesOf("new"))).toString("base64") };
    const { finding } = await forgetting((api) => api.mergePatch(ref, { data }, { fieldManager: "test" }));
    expect(finding).toMatchObject({ kind: "values", values: { token: { name: "new" } } });
  });

  it("keeps other values that are given at the moment at which it forgets", async () => {
    const namespace = "rollcall-agent";
    const signal = new AbortController().signal;
    const api = simulatedCluster({ uid: "edge", agentNamespace: namespace, values: JSON.stringify(valuesOf("old")) });
    const data = { values: Buffer.from(JSON.stringify(valuesOf("new"))).toString("base64") };
    const versions: unknown[] = [];
    const racing: KubeApi = {
      ...api,
      mergePatch: async (ref, patch, options) => {
        versions.push(textAt(patch, "metadata", "resourceVersion"));
        await api.mergePatch(ref, { data }, { fieldManager: "test" });
        if (versions[0] !== undefined) throw new AppError("E_KUBE_CONFLICT", "changed");
        return api.mergePatch(ref, patch, options);
      },
    };
    const secrets = createAgentSecrets(racing, namespace);
    await secrets.forgetValues(valuesOf("old"), signal);
    expect(versions).toEqual(["1"]);
    expect(await secrets.readValues(signal)).toMatchObject({ kind: "values", values: { token: { name: "new" } } });
  });

  it.each([
    { who: "another replica of the same agent", randomByte: 1, isKept: true },
    { who: "another agent", randomByte: 2, isKept: false },
  ])("changes what $who wrote meanwhile: $isKept", async ({ randomByte, isKept }) => {
    const namespace = "rollcall-agent";
    const signal = new AbortController().signal;
    const cluster = simulatedCluster({ uid: "edge", agentNamespace: namespace, values: "" });
    const identityOf = (byte: number, lastNonce: number) => ({
      ...makeIdentity(valuesOf("t"), "edge", Buffer.alloc(64, byte)),
      lastNonce,
    });
    let isRacing = false;
    const api: KubeApi = {
      ...cluster,
      mergePatch: async (ref, patch, options) => {
        if (!isRacing) return cluster.mergePatch(ref, patch, options);
        isRacing = false;
        const identity = Buffer.from(JSON.stringify(identityOf(randomByte, 7))).toString("base64");
        await cluster.mergePatch(ref, { data: { identity } }, options);
        throw new AppError("E_KUBE_CONFLICT", "changed");
      },
    };
    const secrets = createAgentSecrets(api, namespace);
    await secrets.changeIdentity(() => identityOf(1, 1), signal);
    isRacing = true;
    const change = secrets.changeIdentity((held) => ({ ...identityOf(1, 0), ...held, epoch: 5 }), signal);
    if (isKept) expect(await change).toMatchObject({ lastNonce: 7, epoch: 5 });
    else await expect(change).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
    const stored = await createAgentSecrets(cluster, namespace).readIdentity(signal);
    expect(stored).toMatchObject({ ...identityOf(randomByte, 7), epoch: isKept ? 5 : 0 });
  });
});
