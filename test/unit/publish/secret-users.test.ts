import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { createUserFinder } from "../../../src/publish/secret-users.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const { signal } = new AbortController();
const encode = (text: string): string => Buffer.from(text).toString("base64");

function secret(labels: Record<string, string>): KubeObject {
  const data = { server: encode("https://eu-1:6443"), name: encode("fleet-eu-1") };
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "tools", name: "s", labels }, data };
}
const argo = secret({ "argocd.argoproj.io/secret-type": "cluster" });
const flux = secret({});

function user(kind: string, name: string, spec: object): KubeObject {
  return { apiVersion: "x/v1", kind, metadata: { namespace: "tools", name }, spec };
}
const app = (name: string, destination: object) => user("Application", name, { destination });

function open(byKind: Readonly<Record<string, readonly KubeObject[] | Error>>) {
  const clock = createManualClock();
  const asked: string[] = [];
  const list = (type: ResourceType, { namespace = "*" } = {}) => {
    asked.push(`${type.kind} in ${namespace}`);
    const items = byKind[type.kind] ?? [];
    return items instanceof Error
      ? Promise.reject(items)
      : Promise.resolve({ items: [...items], resourceVersion: "1" });
  };
  const find = createUserFinder({ hubApi: { list }, clock, lifetimeMs: 1000 });
  return { clock, asked, find: (of: KubeObject, isFresh = false) => find(of, { isFresh, signal }) };
}

describe("createUserFinder", () => {
  it.each([
    { reason: "the same address", destination: { server: "https://eu-1:6443" }, isUser: true },
    { reason: "the same address with a slash", destination: { server: "https://eu-1:6443//" }, isUser: true },
    { reason: "another address", destination: { server: "https://eu-2:6443", name: "fleet-eu-1" }, isUser: false },
    { reason: "the same name", destination: { name: "fleet-eu-1" }, isUser: true },
    { reason: "the same name and an empty address", destination: { server: "", name: "fleet-eu-1" }, isUser: true },
    { reason: "another name", destination: { name: "fleet-eu-2" }, isUser: false },
  ])("of Argo CD, an Application with $reason: $isUser", async ({ destination, isUser }) => {
    const { find, asked } = open({ Application: [app("a", destination)] });
    expect((await find(argo))?.length).toBe(isUser ? 1 : 0);
    expect(asked).toEqual(["Application in *"]);
  });

  it("of Flux, finds both kinds in the namespace of the Secret", async () => {
    const uses = (name: string) => ({ kubeConfig: { secretRef: { name } } });
    const { find, asked } = open({
      Kustomization: [user("Kustomization", "k", uses("s")), user("Kustomization", "l", uses("t"))],
      HelmRelease: [user("HelmRelease", "h", uses("s"))],
    });
    expect((await find(flux))?.map((name) => name.split("/").at(-1))).toEqual(["k", "h"]);
    expect(asked).toEqual(["Kustomization in tools", "HelmRelease in tools"]);
  });

  it.each([
    { code: "E_KUBE_NOT_FOUND", users: [] },
    { code: "E_KUBE_FORBIDDEN", users: undefined },
    { code: "E_KUBE_SERVER", users: "thrown" },
  ] as const)("answers $users for $code", async ({ code, users }) => {
    const error = new AppError(code, "list");
    const { find } = open({ Application: error, Kustomization: error, HelmRelease: error });
    for (const of of [argo, flux]) expect(await find(of).catch(() => "thrown")).toEqual(users);
  });

  it("lists again after the lifetime, and after a failure", async () => {
    const { find, asked, clock } = open({});
    await find(argo);
    await find(argo);
    expect(asked).toHaveLength(1);
    await clock.advance(1000);
    await find(argo);
    expect(asked).toHaveLength(2);
    const failing = open({ Application: new AppError("E_KUBE_SERVER", "list") });
    await failing.find(argo).catch(() => undefined);
    await failing.find(argo).catch(() => undefined);
    expect(failing.asked).toHaveLength(2);
  });

  it("lets those that need a fresh list wait for the next one together", async () => {
    const { find, asked, clock } = open({});
    await find(argo);
    const waiting = [find(argo, true), find(argo, true)];
    await clock.advance(999);
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await Promise.all(waiting);
    expect(asked).toHaveLength(2);
  });
});
