import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const container = "spec.containers[0]";

function problems(...changes: Change[]): string[] {
  return problemsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

describe("probes", () => {
  const good = { httpGet: { path: "/", port: 80, scheme: "HTTP" }, successThreshold: 1 };
  const liveness = (probe: JsonObject): Change => ["containers.0.livenessProbe", { ...good, ...probe }];
  const handler = (probe: JsonObject): Change => ["containers.0.livenessProbe", { successThreshold: 1, ...probe }];
  const at = `${container}.livenessProbe`;

  it.each<{ change: Change; expected: readonly string[] }>([
    { change: liveness({}), expected: [] },
    { change: liveness({ successThreshold: 2 }), expected: [`Invalid ${at}.successThreshold`] },
    {
      change: ["containers.0.startupProbe", { ...good, successThreshold: 2 }],
      expected: [`Invalid ${container}.startupProbe.successThreshold`],
    },
    { change: ["containers.0.readinessProbe", { ...good, successThreshold: 2 }], expected: [] },
    {
      change: liveness({ terminationGracePeriodSeconds: 0 }),
      expected: [`Invalid ${at}.terminationGracePeriodSeconds`],
    },
    { change: liveness({ terminationGracePeriodSeconds: 1 }), expected: [] },
    {
      change: ["containers.0.readinessProbe", { ...good, terminationGracePeriodSeconds: 1 }],
      expected: [`Invalid ${container}.readinessProbe.terminationGracePeriodSeconds`],
    },
    { change: liveness({ initialDelaySeconds: -1 }), expected: [`Invalid ${at}.initialDelaySeconds`] },
    { change: liveness({ periodSeconds: -1 }), expected: [`Invalid ${at}.periodSeconds`] },
    { change: liveness({ failureThreshold: -1 }), expected: [`Invalid ${at}.failureThreshold`] },
    { change: handler({}), expected: [`Required ${at}`] },
    { change: liveness({ exec: { command: ["a"] } }), expected: [`Forbidden ${at}.httpGet`] },
    { change: handler({ exec: { command: [] } }), expected: [`Required ${at}.exec.command`] },
    { change: handler({ exec: { command: ["a"] } }), expected: [] },
    { change: handler({ tcpSocket: { port: 0 } }), expected: [`Invalid ${at}.tcpSocket.port`] },
    { change: handler({ tcpSocket: { port: "web" } }), expected: [] },
    { change: handler({ grpc: { port: 65_536 } }), expected: [`Invalid ${at}.grpc.port`] },
    { change: handler({ httpGet: { port: 80, scheme: "HTTP" } }), expected: [`Required ${at}.httpGet.path`] },
    {
      change: handler({ httpGet: { path: "/", port: 80, scheme: "FTP" } }),
      expected: [`NotSupported ${at}.httpGet.scheme`],
    },
    { change: handler({ httpGet: { path: "/", port: 0, scheme: "HTTP" } }), expected: [`Invalid ${at}.httpGet.port`] },
    {
      change: handler({ httpGet: { path: "/", port: 80, scheme: "HTTP", httpHeaders: [{ name: "a b" }] } }),
      expected: [`Invalid ${at}.httpGet.httpHeaders`],
    },
    { change: ["containers.0.lifecycle", { preStop: {} }], expected: [`Required ${container}.lifecycle.preStop`] },
    {
      change: ["containers.0.lifecycle", { postStart: { exec: {} } }],
      expected: [`Required ${container}.lifecycle.postStart.exec.command`],
    },
    { change: ["containers.0.lifecycle", { preStop: { sleep: { seconds: 30 } } }], expected: [] },
    {
      change: ["containers.0.lifecycle", { preStop: { sleep: { seconds: 31 } } }],
      expected: [`Invalid ${container}.lifecycle.preStop.sleep`],
    },
    {
      change: ["containers.0.lifecycle", { preStop: { sleep: { seconds: -1 } } }],
      expected: [`Invalid ${container}.lifecycle.preStop.sleep`],
    },
  ])("have $expected with $change", ({ change, expected }) => {
    expect(problems(change)).toEqual(expected);
  });
});
