import { describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { hubWideObjects, installHub, restoreNamespaces } from "../../../src/install/install-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const { signal } = new AbortController();
const established = { conditions: [{ type: "Established", status: "True" }] };
const served = crds.map((crd): KubeObject => ({ ...crd, status: established }));
const namespaceOf = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

/** A hub with the definitions, with these objects, and with admission policies or not; what is written to it. */
function hubWith(objects: readonly KubeObject[] = [], { hasPolicies = true, mutatingVersion = "v1" } = {}) {
  const { api } = createSimulatedHub([...served, ...objects], () => 0);
  const written: string[] = [];
  const applied: KubeObject[] = [];
  const hubApi: KubeApi = {
    ...api,
    getRaw: async (path) => {
      const mutating = path.endsWith(`/${mutatingVersion}`) ? [{ name: "mutatingadmissionpolicies" }] : [];
      const resources = hasPolicies ? [{ name: "validatingadmissionpolicies" }, ...mutating] : [];
      return { status: 200, text: JSON.stringify({ resources }) };
    },
    apply: (object, options) => {
      const { labels } = object.metadata;
      const mark = labels?.["rollcall.dev/workspace"] === undefined ? "" : " as a workspace";
      written.push(`${object.kind}/${object.metadata.name}${mark}`);
      applied.push(object);
      return api.apply(object, options);
    },
  };
  return { hubApi, written, applied };
}

describe("installHub", () => {
  it("makes the daemon's namespace, the named workspaces and what is public, and then the policies", async () => {
    const { hubApi, written } = hubWith();
    await installHub(hubApi, "rollcall", signal, ["eu"]);
    expect(written.slice(0, 3)).toEqual([
      "Namespace/rollcall",
      "Namespace/eu as a workspace",
      "Namespace/rollcall-public",
    ]);
    expect(written.filter((object) => object.startsWith("ValidatingAdmissionPolicy/"))).not.toEqual([]);
    const before = written.length;
    await installHub(hubApi, "rollcall", signal);
    expect(written.slice(before).filter((object) => object.startsWith("Namespace/"))).toEqual([]);
  });

  it("makes no policies on a hub that has none", async () => {
    const { hubApi, written } = hubWith([], { hasPolicies: false });
    await installHub(hubApi, "rollcall", signal);
    expect(written).toContain("Namespace/rollcall-public");
    expect(written.filter((object) => object.includes("Policy"))).toEqual([]);
  });
});

describe("hubWideObjects", () => {
  const idOf = ({ apiVersion, kind, metadata }: KubeObject) => `${apiVersion} ${kind}/${metadata.name}`;

  it.each(["v1", "v1beta1"])(
    "are all that an installation writes beside namespaces of a fleet: %s",
    async (version) => {
      const { hubApi, applied } = hubWith([], { mutatingVersion: version });
      await installHub(hubApi, "rollcall", signal, ["eu"]);
      const made = applied.map(idOf).filter((id) => !["v1 Namespace/rollcall", "v1 Namespace/eu"].includes(id));
      expect(made.join()).toContain(`admissionregistration.k8s.io/${version} MutatingAdmissionPolicy/`);
      expect(hubWideObjects().map(idOf)).toEqual(expect.arrayContaining(made));
    },
  );
});

describe("restoreNamespaces", () => {
  it("makes the namespaces that a hub has lost, and what is public with its namespace alone", async () => {
    const { hubApi, written } = hubWith();
    await restoreNamespaces(hubApi, { namespace: "rollcall", workspaces: ["eu"] }, signal);
    expect(written).toContain("Namespace/eu as a workspace");
    expect(written.length).toBeGreaterThan(3);
    const other = hubWith([namespaceOf("rollcall-public")]);
    await restoreNamespaces(other.hubApi, { namespace: "rollcall", workspaces: ["eu"] }, signal);
    expect(other.written).toEqual(["Namespace/rollcall", "Namespace/eu as a workspace"]);
  });

  it("changes no namespace that is there", async () => {
    const { hubApi, written } = hubWith([namespaceOf("rollcall-public"), namespaceOf("eu"), namespaceOf("rollcall")]);
    await restoreNamespaces(hubApi, { namespace: "rollcall", workspaces: ["eu"] }, signal);
    expect(written).toEqual([]);
  });
});
