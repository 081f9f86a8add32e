import { describe, expect, it } from "vitest";
import { installHub } from "../../../src/install/install-hub.ts";
import { installFleet } from "../../../src/install/install-fleet.ts";
import { installClusternet } from "../../../src/install/install-clusternet.ts";
import { lacksValidatingPolicies, servesPolicies } from "../../../src/install/served-policies.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const signal = new AbortController().signal;
const established = { conditions: [{ type: "Established", status: "True" }] };

/** A hub that serves the resources of admission policies of v1; `applied` has what was written to it. */
function hubWith(answer: { readonly status: number; readonly resources?: readonly string[] }) {
  const applied: KubeObject[] = [];
  const { status, resources = [] } = answer;
  const text = JSON.stringify({ resources: resources.map((name) => ({ name })) });
  const hubApi: Pick<KubeApi, "getRaw" | "get" | "apply" | "server"> = {
    server: "https://hub",
    getRaw: (path) => Promise.resolve(path.endsWith("/v1") ? { status, text } : { status: 404, text: "" }),
    get: ({ name }) => Promise.resolve(applied.find(({ metadata }) => metadata.name === name)),
    apply: (object) => {
      const stored = { ...object, status: established };
      applied.push(stored);
      return Promise.resolve(stored);
    },
  };
  return { hubApi: hubApi as KubeApi, kinds: () => new Set(applied.map(({ kind }) => kind)) };
}

const webhooks = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
const policies = [...webhooks, "validatingadmissionpolicies", "validatingadmissionpolicybindings"];
const older = { status: 200, resources: webhooks };

describe("a hub of Kubernetes 1.29, which has no ValidatingAdmissionPolicy", () => {
  it("gets everything but the policies", async () => {
    const { hubApi, kinds } = hubWith(older);
    await installHub(hubApi, "rollcall-system", signal);
    expect(kinds()).toContain("CustomResourceDefinition");
    expect(kinds()).toContain("Namespace");
    expect(kinds()).not.toContain("ValidatingAdmissionPolicy");
    const newer = hubWith({ status: 200, resources: policies });
    await installHub(newer.hubApi, "rollcall-system", signal);
    expect(newer.kinds()).toContain("ValidatingAdmissionPolicy");
  });

  it.each([
    { name: "Fleet", install: installFleet },
    { name: "Clusternet", install: installClusternet },
  ])("serves no $name, whose agents only policies hold apart", async ({ name, install }) => {
    const { hubApi, kinds } = hubWith(older);
    await expect(install(hubApi, signal)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      message: expect.stringContaining(`serve ${name} on the hub https://hub`) as string,
    });
    expect(kinds()).toEqual(new Set());
  });
});

describe("lacksValidatingPolicies", () => {
  it.each([
    { reason: "they are served", answer: { status: 200, resources: policies }, lacks: false },
    { reason: "the group has others", answer: older, lacks: true },
    { reason: "there is no such group", answer: { status: 404 }, lacks: true },
    { reason: "the answer has no result", answer: { status: 503 }, lacks: false },
  ])("is $lacks where $reason", async ({ answer, lacks }) => {
    const { hubApi } = hubWith(answer);
    expect(await lacksValidatingPolicies(hubApi, signal)).toBe(lacks);
    expect(await servesPolicies(hubApi, { version: "v2", resource: "validatingadmissionpolicies" }, signal)).toBe(
      false,
    );
  });
});
