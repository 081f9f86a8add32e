import { describe, expect, it } from "vitest";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

// The answers of kube-apiserver 1.34.4.

describe("the containers and volumes of a Pod", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [
        [
          "initContainers",
          [
            { name: "i", image: "x", terminationMessagePolicy: "File", imagePullPolicy: "Always" },
            { name: "i", image: "x", terminationMessagePolicy: "File", imagePullPolicy: "Always" },
          ],
        ],
      ],
      expected: ['spec.initContainers[1].name: Duplicate value: "i"'],
    },
    {
      changes: [
        [
          "initContainers",
          [
            { name: "", image: "x", terminationMessagePolicy: "File", imagePullPolicy: "Always" },
            { name: "", image: "x", terminationMessagePolicy: "File", imagePullPolicy: "Always" },
          ],
        ],
      ],
      expected: ["spec.initContainers[0].name: Required value", "spec.initContainers[1].name: Required value"],
    },
    {
      changes: [
        [
          "initContainers",
          [
            {
              name: "i",
              image: "x",
              restartPolicy: "Always",
              livenessProbe: { successThreshold: 1 },
              terminationMessagePolicy: "File",
              imagePullPolicy: "Always",
            },
          ],
        ],
      ],
      expected: ["spec.initContainers[0].livenessProbe: Required value: must specify a handler type"],
    },
    {
      changes: [
        [
          "initContainers",
          [
            {
              name: "i",
              image: "x",
              restartPolicy: "Always",
              lifecycle: { preStop: {} },
              terminationMessagePolicy: "File",
              imagePullPolicy: "Always",
            },
          ],
        ],
      ],
      expected: ["spec.initContainers[0].lifecycle.preStop: Required value: must specify a handler type"],
    },
    {
      changes: [
        [
          "containers.0.ports",
          [
            { containerPort: 1, name: "a", protocol: "TCP" },
            { containerPort: 2, name: "a", protocol: "UDP" },
          ],
        ],
      ],
      expected: ['spec.containers[0].ports[1].name: Duplicate value: "a"'],
    },
    {
      changes: [
        [
          "containers.0.ports",
          [
            { containerPort: 1, protocol: "TCP" },
            { containerPort: 2, protocol: "TCP" },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "containers.0.ports",
          [
            { containerPort: 1, hostPort: 1, hostIP: "1.1.1.1", protocol: "TCP" },
            { containerPort: 2, hostPort: 1, hostIP: "1.1.1.2", protocol: "TCP" },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [["containers.0.volumeMounts", [{ name: "", mountPath: "/x" }]]],
      expected: [
        "spec.containers[0].volumeMounts[0].name: Required value",
        'spec.containers[0].volumeMounts[0].name: Not found: ""',
      ],
    },
    { changes: [["containers.0.livenessProbe", { tcpSocket: { port: "web" }, successThreshold: 1 }]], expected: [] },
    {
      changes: [
        ["containers.0.livenessProbe", { httpGet: { path: "/", scheme: "HTTP", port: "a--b" }, successThreshold: 1 }],
      ],
      expected: [
        'spec.containers[0].livenessProbe.httpGet.port: Invalid value: "a--b": must not contain consecutive hyphens',
      ],
    },
    {
      changes: [
        ["containers.0.livenessProbe", { httpGet: { path: "/", scheme: "HTTP", port: 65535 }, successThreshold: 1 }],
      ],
      expected: [],
    },
    {
      changes: [
        ["containers.0.livenessProbe", { httpGet: { path: "/", scheme: "HTTP", port: 65536 }, successThreshold: 1 }],
      ],
      expected: [
        "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 65536: must be between 1 and 65535, inclusive",
      ],
    },
    {
      changes: [
        [
          "containers.0.livenessProbe",
          { exec: { command: ["a"] }, terminationGracePeriodSeconds: 1, successThreshold: 1 },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "containers.0.livenessProbe",
          {
            httpGet: {
              path: "/",
              scheme: "HTTP",
              port: 1,
              httpHeaders: [
                { name: "X-Ab", value: "" },
                { name: "", value: "" },
              ],
            },
            successThreshold: 1,
          },
        ],
      ],
      expected: [
        "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ],
    },
    { changes: [["containers.0.lifecycle", { preStop: { sleep: { seconds: 30 } } }]], expected: [] },
    { changes: [["containers.0.lifecycle", { preStop: { sleep: { seconds: 0 } } }]], expected: [] },
    {
      changes: [
        ["containers.0.lifecycle", { preStop: { sleep: { seconds: 31 } }, postStart: { exec: { command: ["x"] } } }],
      ],
      expected: [
        "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
      ],
    },
    {
      changes: [
        [
          "volumes",
          [
            {
              name: "v",
              projected: {
                sources: [
                  { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
                  { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
                ],
              },
            },
          ],
        ],
      ],
      expected: ['spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths'],
    },
    {
      changes: [
        [
          "volumes",
          [
            {
              name: "v",
              projected: {
                sources: [
                  {
                    secret: {
                      name: "s",
                      items: [
                        { key: "k", path: "" },
                        { key: "l", path: "" },
                      ],
                    },
                  },
                ],
              },
            },
          ],
        ],
      ],
      expected: [
        "spec.volumes[0].projected.sources[0].secret.items[0].path: Required value",
        "spec.volumes[0].projected.sources[0].secret.items[1].path: Required value",
      ],
    },
    { changes: [["volumes", [{ name: "v", secret: { secretName: "s", defaultMode: 0 } }]]], expected: [] },
    {
      changes: [
        [
          "volumes",
          [
            {
              name: "v",
              downwardAPI: { items: [{ path: "p", fieldRef: { apiVersion: "v1", fieldPath: "spec.odd" } }] },
            },
          ],
        ],
      ],
      expected: [
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Invalid value: "spec.odd": error converting fieldPath: field label not supported: spec.odd',
      ],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true))).toEqual(expected);
  });
});
