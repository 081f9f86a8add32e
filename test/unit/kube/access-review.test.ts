import { describe, expect, it } from "vitest";
import { mayDo } from "../../../src/kube/access-review.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const options = { fieldManager: "test" };

/** A hub that answers every review so, and remembers what it was asked. */
function hubThatSays(status: unknown) {
  const asked: KubeObject[] = [];
  const create = (object: KubeObject): Promise<KubeObject> => {
    asked.push(object);
    return Promise.resolve({ ...object, status });
  };
  return { api: { create }, asked };
}

describe("mayDo", () => {
  it("asks for a subresource by its own field, and leaves out what is not given", async () => {
    const { api, asked } = hubThatSays({ allowed: true });
    expect(await mayDo(api, { group: "rollcall.dev", resource: "clusters/status", verb: "patch" }, options)).toBe(true);
    expect(asked).toMatchObject([{ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" }]);
    expect(asked[0]?.["spec"]).toEqual({
      resourceAttributes: { group: "rollcall.dev", resource: "clusters", subresource: "status", verb: "patch" },
    });
  });

  it("asks for one name in one namespace", async () => {
    const { api, asked } = hubThatSays({ allowed: true });
    await mayDo(api, { group: "", resource: "secrets", verb: "get", name: "a", namespace: "fleet" }, options);
    expect(asked[0]?.["spec"]).toEqual({
      resourceAttributes: { group: "", resource: "secrets", verb: "get", name: "a", namespace: "fleet" },
    });
  });

  it.each([{ allowed: false }, { allowed: "true" }, { denied: true }, {}, undefined])(
    "takes the status %j for a refusal",
    async (status) => {
      const { api } = hubThatSays(status);
      expect(await mayDo(api, { group: "", resource: "pods", verb: "list" }, options)).toBe(false);
    },
  );
});
