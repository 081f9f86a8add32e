import { describe, expect, it } from "vitest";
import { podHooks } from "../../../../src/embedded-hub/resources/pod-hooks.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const policies = { terminationMessagePolicy: "File", imagePullPolicy: "Always" };
const debug = { name: "debug", image: "none", ...policies };

function pod(ephemeralContainers: readonly object[]): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: {
      restartPolicy: "Always",
      dnsPolicy: "Default",
      terminationGracePeriodSeconds: 30,
      volumes: [{ name: "data", emptyDir: {} }],
      containers: [{ name: "main", image: "one", ...policies }],
      ephemeralContainers,
    },
  };
}

function problemsOf(list: readonly object[], old: readonly object[] = []): readonly string[] {
  const context = { now: "", user: { username: "a", groups: [] }, warnings: [], subresource: "ephemeralcontainers" };
  const errors = podHooks.validate?.(pod(list), pod(old), context) ?? [];
  return errors.map(({ field, message }) => `${field}: ${message}`.trim());
}

describe("a write of pods/ephemeralcontainers", () => {
  it("adds containers that are whole", () => {
    const mounts = [{ name: "data", mountPath: "/data" }];
    expect(problemsOf([{ ...debug, targetContainerName: "main", volumeMounts: mounts, resources: {} }])).toEqual([]);
    expect(problemsOf([debug, { ...debug, name: "more" }], [debug])).toEqual([]);
  });

  it("A81 does not change a container that runs by one of the same name before it", () => {
    expect(problemsOf([{ ...debug, image: "other" }, debug], [debug])).toEqual([
      'spec.ephemeralContainers[1].name: Duplicate value: "debug"',
    ]);
  });

  it.each([
    { field: "name", container: { ...debug, name: "main" }, reason: 'name: Duplicate value: "main"' },
    { field: "image", container: { ...debug, image: "" }, reason: "image: Required value" },
    {
      field: "targetContainerName",
      container: { ...debug, targetContainerName: "none" },
      reason: 'targetContainerName: Not found: "none"',
    },
    {
      field: "ports",
      container: { ...debug, ports: [{ containerPort: 1, protocol: "TCP" }] },
      reason: "ports: Forbidden: cannot be set for an Ephemeral Container",
    },
    {
      field: "resources",
      container: { ...debug, resources: { requests: { cpu: "1" } } },
      reason: "resources: Forbidden: cannot be set for an Ephemeral Container",
    },
    {
      field: "subPath",
      container: { ...debug, volumeMounts: [{ name: "data", mountPath: "/a", subPath: "b" }] },
      reason: "volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
    },
  ])("refuses a wrong $field", ({ container, reason }) => {
    expect(problemsOf([container])).toEqual([`spec.ephemeralContainers[0].${reason}`]);
  });
});
