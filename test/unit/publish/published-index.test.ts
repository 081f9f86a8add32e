import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createPublishedIndex } from "../../../src/publish/published-index.ts";

function secret(cluster: string, manager = "rollcall-hub"): KubeObject {
  const labels = { "rollcall.dev/published-workspace": "fleet", "rollcall.dev/published-cluster": cluster };
  const managedFields = [{ manager, operation: "Apply" as const, fieldsType: "FieldsV1", fieldsV1: {} }];
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "argocd", name: "s", labels, managedFields } };
}

const ref = refOf(resourceTypes.secret, secret("eu-1"));
const names = (objects: readonly { readonly ref: { readonly name: string } }[]) => objects.map((one) => one.ref.name);

describe("createPublishedIndex", () => {
  it("finds what this program published for a Cluster", () => {
    const index = createPublishedIndex();
    expect(index.record({ ref, object: secret("eu-1") })).toBe("fleet/eu-1");
    expect(names(index.of("fleet/eu-1"))).toEqual(["s"]);
    expect(index.of("fleet/eu-2")).toEqual([]);
  });

  it("has no objects that another program applied, but names their Cluster", () => {
    const index = createPublishedIndex();
    expect(index.record({ ref, object: secret("eu-1", "argocd") })).toBe("fleet/eu-1");
    expect(index.of("fleet/eu-1")).toEqual([]);
  });

  it("follows an object to another Cluster, and to its end", () => {
    const index = createPublishedIndex();
    index.record({ ref, object: secret("eu-1") });
    index.record({ ref, object: secret("eu-2") });
    expect([names(index.of("fleet/eu-1")), names(index.of("fleet/eu-2"))]).toEqual([[], ["s"]]);
    expect(index.record({ ref, object: undefined })).toBe("fleet/eu-2");
    expect(index.of("fleet/eu-2")).toEqual([]);
    expect(index.record({ ref, object: undefined })).toBeUndefined();
  });

  it("finds the Secrets of Argo CD by their address, as long as they have it", () => {
    const index = createPublishedIndex();
    const at = (server: string, manager?: string): KubeObject => {
      const plain = secret("eu-1", manager);
      const labels = { ...plain.metadata.labels, "argocd.argoproj.io/secret-type": "cluster" };
      const data = { server: Buffer.from(server).toString("base64") };
      return { ...plain, metadata: { ...plain.metadata, labels }, data };
    };
    index.record({ ref, object: at("https://a.example.com/") });
    expect(names(index.at("https://a.example.com"))).toEqual(["s"]);
    index.record({ ref, object: at("https://b.example.com") });
    expect([index.at("https://a.example.com").length, index.at("https://b.example.com").length]).toEqual([0, 1]);
    index.record({ ref, object: at("https://b.example.com", "argocd") });
    expect(index.at("https://b.example.com")).toEqual([]);
    index.record({ ref, object: secret("eu-1") });
    expect(index.at("")).toEqual([]);
  });
});
