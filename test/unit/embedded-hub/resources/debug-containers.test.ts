import { expect, it } from "vitest";
import {
  validateDebugContainers,
  withDebugContainers,
} from "../../../../src/embedded-hub/resources/debug-containers.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function pod(spec: object, metadata: object = {}): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a", resourceVersion: "1", ...metadata }, spec };
}

const debug = { name: "debug", image: "none" };

it("takes ephemeral containers of a request, and nothing else", () => {
  const old = pod({ containers: [{ name: "main", image: "one" }] }, { uid: "u" });
  const wanted = pod(
    { containers: [{ name: "main", image: "two" }], nodeName: "n", ephemeralContainers: [debug] },
    { labels: { a: "b" }, resourceVersion: "2" },
  );
  expect(withDebugContainers(wanted, old)).toEqual(
    pod(
      { containers: [{ name: "main", image: "one" }], ephemeralContainers: [debug] },
      { uid: "u", resourceVersion: "2" },
    ),
  );
});

it("refuses to remove or change one that is there", () => {
  const old = pod({ ephemeralContainers: [debug] });
  const problemsOf = (list: readonly object[]): string[] =>
    validateDebugContainers(pod({ ephemeralContainers: list }), old)
      .filter(({ field }) => field === "spec.ephemeralContainers")
      .map(({ message }) => message);
  expect(problemsOf([debug, { name: "more" }])).toEqual([]);
  expect(problemsOf([])[0]).toContain("may not be removed");
  expect(problemsOf([{ ...debug, image: "other" }])[0]).toContain("may not be changed");
});

it("refuses them for a Pod that mirrors a static one", () => {
  const mirror = { annotations: { "kubernetes.io/config.mirror": "a" } };
  const errors = validateDebugContainers(pod({ ephemeralContainers: [debug] }, mirror), pod({}, mirror));
  expect(errors).toMatchObject([{ message: "Forbidden: static pods do not support ephemeral containers" }]);
});
