import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { objectAt } from "../../src/core/read-json.ts";
import { embeddedHub, ownRealHub } from "../support/hub-under-test.ts";
import { podSecurityCases, podSecurityNamespaces } from "../support/pod-security-cases.ts";
import type { RawAnswer, RawHub } from "../support/raw-hub.ts";
import { rawHub } from "../support/raw-hub.ts";
import { until } from "../support/until.ts";

const stops: (() => void | Promise<void>)[] = [];
let embedded: RawHub;
let real: RawHub;

beforeAll(async () => {
  const hubs = await Promise.all([embeddedHub(), ownRealHub()]);
  for (const { stop } of hubs) stops.push(stop);
  [embedded, real] = [rawHub(hubs[0].kubeconfig), rawHub(hubs[1].kubeconfig)];
  for (const hub of [embedded, real]) {
    for (const [name, labels] of Object.entries(podSecurityNamespaces)) {
      await send(hub, "POST", "/api/v1/namespaces", { metadata: { name, labels } });
      const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
      await until(
        () => send(hub, "GET", account),
        ({ code }) => code === 200,
      );
    }
  }
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

function send(hub: RawHub, method: string, path: string, body?: JsonObject): Promise<RawAnswer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return hub.send(
    `${method} ${path} HTTP/1.1\r\nHost: ${hub.authority}\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** Code, warnings, and of a refusal its whole status. */
async function compare(method: string, path: string, body: JsonObject): Promise<void> {
  const shown = async (hub: RawHub) => {
    const { code, text, warnings: all = [] } = await send(hub, method, path, body);
    const warnings = all.filter((warning) => !warning.includes("is stored and has no effect"));
    return { code, warnings, status: code < 300 ? "" : (JSON.parse(text) as unknown) };
  };
  expect(await shown(embedded)).toEqual(await shown(real));
}

describe("Pod Security beside kube-apiserver", () => {
  it.each(Object.keys(podSecurityCases))("admits, refuses and warns of a Pod alike: %s", async (name) => {
    for (const namespace of Object.keys(podSecurityNamespaces)) {
      await compare("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, podSecurityCases[name] ?? {});
    }
  });

  it.each([
    ["apps/v1", "deployments", (template: JsonObject) => ({ selector: { matchLabels: { app: "a" } }, template })],
    ["batch/v1", "jobs", (template: JsonObject) => ({ template })],
    ["batch/v1", "cronjobs", (template: JsonObject) => ({ schedule: "@daily", jobTemplate: { spec: { template } } })],
  ])("warns of the template of a Pod and lets it in: %s %s", async (group, plural, specOf) => {
    for (const namespace of ["ps-enforce-baseline", "ps-warn-restricted"]) {
      const spec = {
        ...objectAt(podSecurityCases["everything"], "spec"),
        restartPolicy: plural === "deployments" ? "Always" : "Never",
      };
      await compare("POST", `/apis/${group}/namespaces/${namespace}/${plural}?dryRun=All`, {
        metadata: { name: "d" },
        spec: specOf({ metadata: { labels: { app: "a" } }, spec }),
      });
    }
  });

  it("refuses labels of a namespace that name no level or version, and admits what was wrong before", async () => {
    for (const labels of [
      { "pod-security.kubernetes.io/enforce": "strict" },
      { "pod-security.kubernetes.io/warn": "", "pod-security.kubernetes.io/audit-version": "1.24" },
      { "pod-security.kubernetes.io/enforce-version": "v1.999" },
    ]) {
      await compare("POST", "/api/v1/namespaces?dryRun=All", { metadata: { name: "ps-new", labels } });
      await compare("PATCH", "/api/v1/namespaces/ps-warn-baseline?dryRun=All", { metadata: { labels } });
    }
  });

  it("warns of Pods that a stricter level would not admit, and lets them run", async () => {
    const make = (name: string, of: string) => ({ ...podSecurityCases[of], metadata: { name } });
    for (const hub of [embedded, real]) {
      for (const [name, of] of [
        ["p-1", "privileged"],
        ["p-2", "privileged"],
        ["p-3", "everything"],
        ["p-4", "safe"],
      ] as const) {
        await send(hub, "POST", "/api/v1/namespaces/ps-warn-baseline/pods", make(name, of));
      }
    }
    for (const level of ["baseline", "restricted", "privileged"]) {
      const labels = { "pod-security.kubernetes.io/enforce": level };
      await compare("PATCH", "/api/v1/namespaces/ps-warn-baseline?dryRun=All", { metadata: { labels } });
    }
  });
});
