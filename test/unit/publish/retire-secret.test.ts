import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { publishedResult } from "../../../src/publish/published-condition.ts";
import type { ForcedRemoval } from "../../../src/publish/retire-secret.ts";
import { keepSecret, retireSecret } from "../../../src/publish/retire-secret.ts";
import { createUserFinder } from "../../../src/publish/secret-users.ts";

const { signal } = new AbortController();
const startMs = Date.parse("2027-01-01T00:00:00Z");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const argoSecret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    namespace: "argocd",
    name: "cluster-fleet-eu-1",
    uid: "u",
    resourceVersion: "1",
    labels: { env: "prod", "argocd.argoproj.io/secret-type": "cluster", "rollcall.dev/published-cluster": "eu-1" },
  },
  data: { name: base64("fleet-eu-1"), server: base64("https://eu-1.example.com/") },
};
const fluxSecret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "flux-system", name: "fleet-eu-1-kubeconfig", uid: "u", resourceVersion: "1" },
};

/** A hub with one Secret and what other tools have. */
function open(secret: KubeObject, options: { readonly timeoutMs?: number; readonly unselects?: boolean } = {}) {
  const state = { nowMs: startMs, secret: secret as KubeObject | undefined };
  const others = new Map<string, KubeObject[] | "forbidden">();
  const patches: unknown[] = [];
  const forced: ForcedRemoval[] = [];
  const hubApi = {
    list: ({ kind }: { readonly kind: string }, { namespace }: { readonly namespace?: string }) => {
      const items = others.get(kind);
      if (items === "forbidden") return Promise.reject(new AppError("E_KUBE_FORBIDDEN", "no"));
      if (items === undefined) return Promise.reject(new AppError("E_KUBE_NOT_FOUND", "no such kind"));
      const inside = items.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
      return Promise.resolve({ items: inside, resourceVersion: "1" });
    },
    mergePatch: (_ref: unknown, patch: { readonly metadata: { readonly annotations: Record<string, string> } }) => {
      patches.push(patch);
      const metadata = { ...secret.metadata, resourceVersion: "2", annotations: patch.metadata.annotations };
      state.secret = { ...secret, metadata };
      return Promise.resolve(state.secret);
    },
    delete: (_ref: unknown, { resourceVersion }: { readonly resourceVersion: string }) => {
      expect(resourceVersion).toBe(state.secret?.metadata.resourceVersion);
      state.secret = undefined;
      return Promise.resolve();
    },
  } as unknown as KubeApi;
  const clock = {
    monotonicMs: () => state.nowMs,
    sleep: (durationMs: number) => Promise.resolve(void (state.nowMs += durationMs)),
  };
  const context = {
    hubApi,
    usersOf: createUserFinder({ hubApi, clock, lifetimeMs: 1000 }),
    removal: { timeoutMs: 900_000, unselects: false, ...options },
    nowMs: () => state.nowMs,
    onForced: (removal: ForcedRemoval) => void forced.push(removal),
  };
  const retire = (isForced = false) => {
    const object = state.secret ?? secret;
    return retireSecret(context, { ref: refOf(resourceTypes.secret, object), object, isForced }, signal);
  };
  return { state, others, patches, forced, retire, context };
}

function application(destination: object, namespace = "argocd"): KubeObject {
  const metadata = { namespace, name: "shop" };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: { destination } };
}

function ofFlux(kind: string, secretName: string, namespace = "flux-system"): KubeObject {
  const spec = { kubeConfig: { secretRef: { name: secretName } } };
  return { apiVersion: "x/v1", kind, metadata: { namespace, name: "apps" }, spec };
}

describe("a published Secret that is to be removed", () => {
  it.each([
    ["by name", { name: "fleet-eu-1" }, "argocd"],
    ["by address, with or without a slash at its end", { server: "https://eu-1.example.com" }, "argocd"],
    ["from another namespace", { name: "fleet-eu-1" }, "team-a"],
  ])("stays while an Application names the cluster %s, and no longer", async (_how, destination, namespace) => {
    const session = open(argoSecret);
    session.others.set("Application", [application(destination, namespace)]);
    expect(await session.retire()).toMatchObject({
      users: [`Application.argoproj.io/${namespace}/shop`],
      deadlineMs: startMs + 900_000,
    });
    session.state.nowMs += 60_000;
    expect(await session.retire()).toMatchObject({ deadlineMs: startMs + 900_000 });
    session.others.set("Application", [application({ server: "https://us-1.example.com" })]);
    session.state.nowMs += 60_000;
    expect(await session.retire()).toBeUndefined();
    expect(session.state.secret).toBeUndefined();
    expect(session.forced).toEqual([]);
  });

  it.each(["Kustomization", "HelmRelease"])("outlives each %s that names it", async (kind) => {
    const session = open(fluxSecret);
    session.others.set("Kustomization", []);
    session.others.set(kind, [
      ofFlux(kind, "fleet-eu-1-kubeconfig"),
      ofFlux(kind, "fleet-eu-1-kubeconfig", "elsewhere"),
      ofFlux(kind, "other"),
    ]);
    const waiting = await session.retire();
    expect(waiting?.users).toHaveLength(1);
    expect(waiting?.users?.[0]).toMatch(new RegExp(`^${kind}\\..*/flux-system/apps$`, "u"));
    session.others.set(kind, []);
    session.state.nowMs += 60_000;
    expect(await session.retire()).toBeUndefined();
  });

  it.each([0, 1])(
    "stays when something began to use it after the last list and before its mark, with %i others that ask",
    async (count) => {
      const session = open(argoSecret);
      session.others.set("Application", []);
      await session.context.usersOf(argoSecret, { isFresh: false, signal });
      session.others.set("Application", [application({ name: "fleet-eu-1" })]);
      session.state.nowMs += 10;
      const [first, ...others] = await Promise.all([
        session.retire(),
        ...Array.from({ length: count }, () => session.context.usersOf(argoSecret, { isFresh: true, signal })),
      ]);
      const users = ["Application.argoproj.io/argocd/shop"];
      expect(first?.users).toEqual(users);
      expect(others).toEqual(Array.from({ length: count }, () => users));
      expect(session.state.secret).toBeDefined();
    },
  );

  it("is removed at once where the hub has neither Argo CD nor Flux", async () => {
    const session = open(argoSecret);
    expect(await session.retire()).toBeUndefined();
    expect(session.forced).toEqual([]);
  });

  it("waits for the timeout where the daemon may not see what uses it", async () => {
    const session = open(fluxSecret);
    session.others.set("Kustomization", "forbidden");
    expect(await session.retire()).toMatchObject({ users: undefined });
    session.state.nowMs += 899_000;
    expect(await session.retire()).toMatchObject({ users: undefined });
    session.state.nowMs += 1000;
    expect(await session.retire()).toBeUndefined();
    expect(session.forced).toHaveLength(1);
  });

  it("is removed after the timeout although it is used, and that is reported", async () => {
    const session = open(argoSecret, { timeoutMs: 5000 });
    session.others.set("Application", [application({ name: "fleet-eu-1" })]);
    await session.retire();
    session.state.nowMs += 5000;
    expect(await session.retire()).toBeUndefined();
    expect(session.forced).toMatchObject([{ users: ["Application.argoproj.io/argocd/shop"] }]);
  });

  it("is removed at once when the removal is forced", async () => {
    const session = open(argoSecret);
    session.others.set("Application", [application({ name: "fleet-eu-1" })]);
    expect(await session.retire(true)).toBeUndefined();
    expect(session.state.secret).toBeUndefined();
  });

  it("begins its wait anew when the clock was ahead as it began", async () => {
    const session = open(argoSecret);
    session.others.set("Application", [application({ name: "fleet-eu-1" })]);
    session.state.nowMs += 86_400_000;
    await session.retire();
    session.state.nowMs = startMs;
    expect(await session.retire()).toMatchObject({ deadlineMs: startMs + 900_000 });
  });

  it.each([
    [false, undefined],
    [true, { env: null }],
  ])("loses the labels of its file first only where that is asked for: %s", async (unselects, labels) => {
    const session = open(argoSecret, { unselects });
    session.others.set("Application", [application({ name: "fleet-eu-1" })]);
    await session.retire();
    expect(session.patches).toMatchObject([
      { metadata: { annotations: { "rollcall.dev/removing-since": "2027-01-01T00:00:00Z" } } },
    ]);
    expect((session.patches[0] as { metadata: { labels?: unknown } }).metadata.labels).toEqual(labels);
  });

  it("loses the mark when it is wanted again", async () => {
    const session = open(argoSecret);
    session.others.set("Application", [application({ name: "fleet-eu-1" })]);
    await session.retire();
    const object = session.state.secret ?? argoSecret;
    await keepSecret(session.context, { ref: refOf(resourceTypes.secret, object), object }, signal);
    expect(session.patches.at(-1)).toEqual({
      metadata: { uid: "u", annotations: { "rollcall.dev/removing-since": null } },
    });
  });
});

describe("the condition Published", () => {
  const state = { published: [], taken: [], retiring: [], isClusterApis: false, unselects: false };
  const ref = refOf(resourceTypes.secret, argoSecret);

  it("is absent when nothing is published", () => {
    expect(publishedResult(state)).toBeUndefined();
  });

  it("names what uses a Secret, not too many of it, and until when it stays", () => {
    const users = ["a", "b", "c", "d", "e", "f", "g"];
    const result = publishedResult({ ...state, retiring: [{ ref, users, deadlineMs: startMs }] });
    expect(result).toMatchObject({ status: "False", reason: "PublishedInUse" });
    expect(result?.message).toBe(
      "Secret/argocd/cluster-fleet-eu-1 is removed when nothing uses it any more, at 2027-01-01T00:00:00Z at the latest. It is used by a, b, c, d, e and 2 more.",
    );
  });

  it("reports when the daemon may not see what uses a Secret", () => {
    const result = publishedResult({ ...state, retiring: [{ ref, users: undefined, deadlineMs: startMs }] });
    expect(result).toMatchObject({ status: "False", reason: "PublishedUntilTimeout" });
  });
});
