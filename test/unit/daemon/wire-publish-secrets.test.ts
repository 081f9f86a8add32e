import { setImmediate as nextTurn } from "node:timers/promises";
import { rootCertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { publishRemoval, publishTargets, readAccess, startPublisher } from "../../../src/daemon/wire-publish.ts";
import type { PublisherOptions } from "../../../src/daemon/wire-publish.ts";
import type { HubView, ViewChange } from "../../../src/hub/hub-view.ts";
import type { KubeApi, ListOptions, WatchEvent, WatchOptions } from "../../../src/kube/kube.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { publishedSelector } from "../../../src/publish/publish.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import { until } from "../../support/until.ts";

const settingsOf = (given: Readonly<Record<string, string | boolean>>) =>
  readSettings("run", { given, environment: {} });
const minuteMs = 60_000;

describe("what options publish", () => {
  it.each([
    [{}, { clusterProfiles: false }],
    [{ "publish-cluster-profiles": true }, { clusterProfiles: true }],
    [
      { "publish-argocd": "argocd", "publish-flux": "flux-system" },
      { clusterProfiles: false, argocd: "argocd", flux: "flux-system" },
    ],
  ])("with %j is %j", (given, targets) => {
    expect(publishTargets(settingsOf(given))).toEqual(targets);
  });

  it.each([
    [{}, { timeoutMs: 15 * minuteMs, unselects: false }],
    [{ "publish-removal-timeout": "0s" }, { timeoutMs: 0, unselects: false }],
    [{ "publish-argocd-removal": "Unselect" }, { timeoutMs: 15 * minuteMs, unselects: true }],
  ])("is removed with %j by the rules %j", (given, rules) => {
    expect(publishRemoval(settingsOf(given))).toEqual(rules);
  });

  it.each(["soon", "-1m", "15"])("is not removed after %s, which is no time", (timeout) => {
    expect(() => publishRemoval(settingsOf({ "publish-removal-timeout": timeout }))).toThrow(
      expect.objectContaining({ code: "E_USAGE" }),
    );
  });
});

describe("readAccess", () => {
  const kubeconfig = (cluster: object, user: object): string =>
    JSON.stringify({
      clusters: [{ name: "a", cluster: { server: "https://member.example:6443", ...cluster } }],
      users: [{ name: "a", user }],
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      "current-context": "a",
    });

  it("has the address, the trust and the credential of a kubeconfig", async () => {
    const [caPem = ""] = rootCertificates;
    const encoded = Buffer.from(caPem).toString("base64");
    const cluster = { "certificate-authority-data": encoded, "tls-server-name": "name" };
    expect(await readAccess(kubeconfig(cluster, { token: "t" }))).toMatchObject({
      server: "https://member.example:6443",
      caPem: expect.stringContaining(caPem) as string,
      token: "t",
      tlsServerName: "name",
    });
    expect((await readAccess(kubeconfig({}, {}))).token).toBeUndefined();
  });

  it("refuses a kubeconfig that names files", async () => {
    await expect(readAccess(kubeconfig({}, { tokenFile: "/x" }))).rejects.toMatchObject({ code: "E_KUBECONFIG" });
  });
});

const kubeconfigText = (token: string): string =>
  JSON.stringify({
    clusters: [{ name: "a", cluster: { server: "https://member.example:6443" } }],
    users: [{ name: "a", user: { token } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  });
const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };

function clusterOf(change: { readonly metadata?: object; readonly spec?: object } = {}): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { namespace: "fleet", name: "eu-1", uid: "u1", ...change.metadata },
    spec: { protocol: "rollcall", kubeConfigSecretRef: { name: "kubeconfig" }, ...change.spec },
  };
}

function kubeconfigSecret(token: string, more: object = {}): KubeObject {
  const data = { value: Buffer.from(kubeconfigText(token)).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "fleet", name: "kubeconfig" }, data, ...more };
}

/** What a manager that applied it owns, as managedFields have it. */
function fieldsOf(value: unknown): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [`f:${key}`, fieldsOf(below)]));
}

/** Secrets of Flux's namespace on a hub, and what uses them. */
class Secrets {
  readonly objects = new Map<string, KubeObject>();
  readonly applied: KubeObject[] = [];
  readonly listed: ListOptions[] = [];
  users: readonly string[] | "forbidden" = [];
  failure: AppError | undefined;
  #tell: (event: WatchEvent) => void = () => undefined;
  #version = 1;

  readonly api = {
    list: async ({ kind }: ResourceType, options: ListOptions) => {
      if (kind === "Secret") this.listed.push(options);
      if (kind === "Secret") return { items: [...this.objects.values()], resourceVersion: "1" };
      if (this.users === "forbidden") throw new AppError("E_KUBE_FORBIDDEN", "no");
      if (kind !== "Kustomization") return { items: [], resourceVersion: "1" };
      const [name = ""] = this.objects.keys();
      return {
        items: this.users.map((user) => ({
          metadata: { namespace: "flux-system", name: user },
          spec: { kubeConfig: { secretRef: { name } } },
        })),
      };
    },
    watch: (_: unknown, options: WatchOptions) => this.#watch(options),
    get: async ({ name }: ObjectRef) => this.objects.get(name),
    apply: async (object: KubeObject) => {
      if (this.failure) throw this.failure;
      if (object.kind === "Secret") this.applied.push(object);
      return this.#put(object);
    },
    mergePatch: async ({ name }: ObjectRef, { metadata }: { metadata: object }) => {
      const live = this.objects.get(name);
      return live ? this.#put({ ...live, metadata: { ...live.metadata, ...metadata } }) : {};
    },
    delete: async ({ name }: ObjectRef) => {
      const object = this.objects.get(name);
      this.objects.delete(name);
      if (object)
        this.#tell({
          kind: "deleted",
          object: { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } },
        });
    },
  } as unknown as KubeApi;

  #put(object: KubeObject): KubeObject {
    if (object.kind !== "Secret") return object;
    const managedFields = [{ manager: "rollcall-hub", operation: "Apply" as const, fieldsV1: fieldsOf(object) }];
    const metadata = { ...object.metadata, uid: "s", resourceVersion: String(++this.#version), managedFields };
    const kind = this.objects.has(metadata.name) ? "modified" : "added";
    const stored = { ...object, metadata } as KubeObject;
    this.objects.set(metadata.name, stored);
    this.#tell({ kind, object: stored });
    return stored;
  }

  async *#watch({ signal, onOpen }: WatchOptions): AsyncGenerator<WatchEvent> {
    const queue: WatchEvent[] = [];
    let wake: () => void = () => undefined;
    this.#tell = (event) => {
      queue.push(event);
      wake();
    };
    signal?.addEventListener("abort", () => wake(), { once: true });
    onOpen?.();
    while (signal?.aborted !== true) {
      const event = queue.shift();
      if (event) yield event;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
}

/** A publisher of kubeconfig Secrets for Flux, of one Cluster of the view. */
function open({
  cluster = clusterOf(),
  timeoutMs = 15 * minuteMs,
}: { cluster?: Cluster | undefined; timeoutMs?: number } = {}) {
  const secrets = new Secrets();
  const held = {
    cluster: cluster as Cluster | undefined,
    secret: kubeconfigSecret("one") as KubeObject | undefined,
    isWorkspace: true,
  };
  let tell: (change: ViewChange) => void = () => undefined;
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) };
  const released: string[] = [];
  const events: unknown[] = [];
  const view = {
    whenSynced: async () => undefined,
    isWorkspace: () => held.isWorkspace,
    isBeingListed: () => false,
    list: () => (held.cluster ? [held.cluster] : []),
    get: ({ type }: ObjectRef) => (type === resourceTypes.cluster ? held.cluster : held.secret),
    subscribe: (listener: (change: ViewChange) => void) => {
      tell = listener;
      return () => undefined;
    },
  } as unknown as HubView;
  const options: PublisherOptions = {
    hubApi: secrets.api,
    view,
    targets: { clusterProfiles: false, flux: "flux-system" },
    removal: { timeoutMs, unselects: false },
    events: { record: (event: unknown) => void events.push(event) },
    onReleased: (workspace, name) => void released.push(`${workspace}/${name}`),
    log,
  };
  const publisher = startPublisher(options);
  onTestFinished(() => publisher.stop());
  const change = (object: KubeObject | undefined, before?: KubeObject, at: ObjectRef = ref): void =>
    tell({ ref: at, object, before, isPlanned: false });
  const whenApplied = (count: number) =>
    until(
      async () => secrets.applied.length,
      (seen) => seen >= count,
    );
  return { secrets, held, publisher, change, whenApplied, lines, released, events };
}

const member = (cluster: Cluster, name = "eu-1") => ({ workspace: "fleet", name, cluster }) as never;

describe("a publisher of Secrets", () => {
  it("publishes each Cluster of the hub, and again when the Secret of its kubeconfig changes", async () => {
    const { secrets, held, change, whenApplied } = open();
    await whenApplied(1);
    expect(secrets.applied[0]?.metadata.namespace).toBe("flux-system");
    held.secret = kubeconfigSecret("two");
    change(held.secret, undefined, { type: resourceTypes.secret, namespace: "fleet", name: "other" });
    change(held.secret, undefined, { type: resourceTypes.secret, namespace: "fleet", name: "kubeconfig" });
    await whenApplied(2);
    expect(JSON.stringify(secrets.applied[1])).not.toBe(JSON.stringify(secrets.applied[0]));
  });

  it("follows a Cluster to another Secret of its kubeconfig", async () => {
    const { secrets, held, change, whenApplied } = open();
    await whenApplied(1);
    const before = held.cluster;
    held.cluster = clusterOf({ spec: { kubeConfigSecretRef: { name: "moved" } } });
    change(held.cluster, before);
    held.secret = kubeconfigSecret("two");
    change(held.secret, undefined, { type: resourceTypes.secret, namespace: "fleet", name: "moved" });
    await whenApplied(2);
    expect(secrets.applied.length).toBeGreaterThan(1);
  });

  it("creates a Secret again that a user deleted", async () => {
    const { secrets, whenApplied } = open();
    await whenApplied(1);
    const [name = ""] = secrets.objects.keys();
    await secrets.api.delete({ type: resourceTypes.secret, namespace: "flux-system", name });
    await whenApplied(2);
    expect([...secrets.objects.keys()]).toEqual([name]);
  });

  it("removes the Secret of a deleted Cluster, and reports that nothing of it is published any more", async () => {
    const { secrets, held, change, whenApplied, released } = open();
    await whenApplied(1);
    const before = held.cluster;
    held.cluster = undefined;
    change(undefined, before);
    await until(
      async () => released,
      (names) => names.length > 0,
    );
    expect([released, secrets.objects.size]).toEqual([["fleet/eu-1"], 0]);
  });

  it.each([
    {
      who: ["apps"],
      users: ["Kustomization.kustomize.toolkit.fluxcd.io/flux-system/apps"],
      says: "it is used by Kustomization",
    },
    { who: "forbidden" as const, users: "not known", says: "the daemon may not see what uses it" },
  ])("warns where it removes a Secret that may be used: $says", async ({ who, users, says }) => {
    const { secrets, held, change, whenApplied, lines, events } = open({ timeoutMs: 0 });
    await whenApplied(1);
    secrets.users = who;
    const before = held.cluster;
    held.cluster = clusterOf({ spec: { kubeConfigSecretRef: undefined } });
    change(held.cluster, before);
    await until(
      async () => lines.length,
      (count) => count > 0,
    );
    expect(lines[0]).toMatchObject(["a published Secret is removed although it may be used", { users }]);
    expect(lines[0]?.[1]?.["object"]).toMatch(/^Secret\/flux-system\//u);
    await until(
      async () => events.length,
      (count) => count > 0,
    );
    expect(events).toMatchObject([
      { type: "Warning", reason: "PublishedSecretRemoved", message: expect.stringContaining(says) as string },
    ]);
  });

  it("leaves alone what it published of a namespace that is no workspace any more", async () => {
    const { secrets, held, change, whenApplied, released } = open();
    await whenApplied(1);
    held.isWorkspace = false;
    const before = held.cluster;
    held.cluster = undefined;
    change(undefined, before);
    // Enough for all that a publisher does without waiting for another program.
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect([secrets.objects.size, released]).toEqual([1, []]);
  });

  it("watches what it published in the namespace of its target alone", async () => {
    const { secrets, whenApplied } = open();
    await whenApplied(1);
    expect(secrets.listed).toMatchObject([{ namespace: "flux-system", labelSelector: publishedSelector }]);
  });

  it("logs what the hub refuses, and tries it again", async () => {
    const { secrets, change, held, whenApplied, lines } = open();
    await whenApplied(1);
    secrets.failure = new AppError("E_KUBE_SERVER", "down");
    held.secret = kubeconfigSecret("two");
    change(held.cluster, held.cluster);
    await until(
      async () => lines.length,
      (count) => count > 0,
    );
    expect(lines[0]).toMatchObject(["publishing failed", { cluster: "fleet/eu-1", error: { code: "E_KUBE_SERVER" } }]);
    secrets.failure = undefined;
    await whenApplied(2);
  });
});

describe("an offboarding", () => {
  const nowMs = () => Date.now();

  it("waits while a Secret of the Cluster is published, and not longer than the publisher and two minutes", async () => {
    const { publisher, whenApplied } = open();
    expect(publisher.holdMs(member(clusterOf()), nowMs())).toBeGreaterThan(0);
    await whenApplied(1);
    await until(
      async () => publisher.holdMs(member(clusterOf(), "other"), nowMs()),
      (ms) => ms === 0,
    );
    expect(publisher.holdMs(member(clusterOf()), nowMs())).toBe(15_000);
    expect(publisher.holdMs(member(clusterOf()), nowMs() - 16.9 * minuteMs)).toBe(15_000);
    expect(publisher.holdMs(member(clusterOf()), nowMs() - 17.1 * minuteMs)).toBe(0);
  });

  it("waits for nothing where the cluster is revoked, and where nothing is published", async () => {
    const { publisher, whenApplied } = open();
    await whenApplied(1);
    const revoked = clusterOf({ metadata: { annotations: { "rollcall.dev/revoked": "-/ada/now" } } });
    expect(publisher.holdMs(member(revoked), nowMs())).toBe(0);
    const options = { targets: { clusterProfiles: false } } as PublisherOptions;
    const none = startPublisher({ ...options, removal: { timeoutMs: minuteMs, unselects: false } });
    expect(none.holdMs(member(clusterOf()), nowMs())).toBe(0);
    await none.stop();
  });
});
