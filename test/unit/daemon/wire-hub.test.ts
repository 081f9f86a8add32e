import { createPrivateKey } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { protocolsWith } from "../../../src/daemon/foreign-protocols.ts";
import { ensureIdentity, makeTrustKey, openHubPorts } from "../../../src/daemon/wire-hub.ts";
import type { HubPortsOptions } from "../../../src/daemon/wire-hub.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import type { KubeApi, WatchOptions } from "../../../src/kube/kube.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { Repository, RepositorySpec } from "../../../src/model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";

const namespace = "rollcall-system";
const endpoint = { url: "https://hub", caBundle: "ca" };

function repositoryOf(name: string, spec: Partial<RepositorySpec> = {}): Repository {
  const metadata = { name, namespace };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata, spec: { url: "u", ...spec } };
}

const labelled = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "rollcall.dev/workspace": "true" } },
});

/** The hub's half of a daemon on a hub with these namespaces, which cannot be reached once `away` is aborted. */
async function open(
  repositories: readonly Repository[],
  more: Partial<HubPortsOptions> = {},
  away = new AbortController().signal,
) {
  const { api } = createSimulatedHub(crds, () => 0);
  const { signal } = new AbortController();
  const namespaces = ["eu-1", "us-1", "kube-system", namespace].map(labelled);
  const hubApi: KubeApi = {
    ...api,
    list: async ({ kind }: ResourceType) => {
      if (away.aborted) throw new AppError("E_KUBE_UNREACHABLE", "away");
      return { items: kind === "Namespace" ? namespaces : [], resourceVersion: "1" };
    },
    watch: async function* (_: unknown, { signal: ending, onOpen }: WatchOptions) {
      onOpen?.();
      await new Promise((resolve) => {
        for (const one of [ending, away]) one?.addEventListener("abort", resolve, { once: true });
      });
      if (away.aborted) throw new AppError("E_KUBE_UNREACHABLE", "away");
    },
  };
  const identity = await ensureIdentity({ hubApi, namespace, endpoint, signal });
  const hub = await openHubPorts({
    hubApi,
    namespace,
    identity,
    endpoint,
    agentImage: "registry.example.com/rollcall",
    protocols: protocolsWith([]),
    repositories: () => repositories,
    environment: {},
    enqueueMember: () => undefined,
    log: silentLog,
    signal,
    ...more,
  });
  onTestFinished(() => hub.stop());
  return { ...hub, hubApi, identity, signal };
}

describe("the hub's half of a daemon", () => {
  it("has the facts that agents receive, with the hub's identity", async () => {
    const { ports, identity } = await open([]);
    expect(ports.hubFacts()).toMatchObject({
      hubId: identity.hubId,
      trust: { publicKey: identity.trust.publicKey, epoch: 1 },
      daemonNamespace: namespace,
      agentImage: "registry.example.com/rollcall",
      endpoint,
    });
    expect(ports.publishedHoldMs({} as never, 0)).toBe(0);
  });

  it.each([
    { what: "no repository", deadlines: [], seconds: 600 },
    { what: "one that names none", deadlines: [undefined], seconds: 600 },
    { what: "one that is less patient", deadlines: [300], seconds: 300 },
    { what: "several", deadlines: [300, 900, undefined], seconds: 900 },
  ])(
    "gives agents as long as the most patient repository does: $seconds s with $what",
    async ({ deadlines, seconds }) => {
      const repositories = deadlines.map((deadlineSeconds, index) =>
        repositoryOf(`r${index}`, deadlineSeconds === undefined ? {} : { agentRollout: { deadlineSeconds } }),
      );
      const { ports } = await open(repositories);
      expect(ports.hubFacts().agentDeadlineSeconds).toBe(seconds);
    },
  );

  it("counts no time in which it cannot watch heartbeats", async () => {
    const away = new AbortController();
    const { ports } = await open([], {}, away.signal);
    await expect.poll(() => ports.health.watchedMs()).toBeGreaterThan(0);
    away.abort();
    await expect.poll(() => ports.health.watchedMs()).toBe(0);
  });

  it("rolls agents out by the repository that declares them", async () => {
    const agentRollout = { maxUnavailable: 3 };
    const { ports } = await open([repositoryOf("other"), repositoryOf("fleet", { agentRollout })]);
    expect(ports.agentRollout(`${namespace}.fleet`)).toEqual(agentRollout);
    expect(ports.agentRollout(`${namespace}.other`)).toEqual({});
    expect(ports.agentRollout(`${namespace}.lost`)).toEqual({});
  });

  it.each([
    { what: "no repository is known", repositories: [], limit: undefined, workspaces: ["eu-1", "us-1"] },
    { what: "none is limited", repositories: [repositoryOf("a")], limit: undefined, workspaces: ["eu-1", "us-1"] },
    {
      what: "one of several allows it",
      repositories: [repositoryOf("a", { workspaces: ["eu-*"] }), repositoryOf("b", { workspaces: ["asia"] })],
      limit: undefined,
      workspaces: ["eu-1"],
    },
    { what: "the daemon is bounded", repositories: [repositoryOf("a")], limit: ["us-*"], workspaces: ["us-1"] },
  ])(
    "works in labelled namespaces, never in its own or a system one, where $what",
    async ({ repositories, limit, workspaces }) => {
      const { ports } = await open(repositories, limit === undefined ? {} : { workspaceLimit: limit });
      const all = ["eu-1", "us-1", "kube-system", namespace, "unlabelled"];
      expect(all.filter((name) => ports.view.isWorkspace(name))).toEqual(workspaces);
    },
  );

  it("reads the hub's identity again for a term: the trust key may have been replaced", async () => {
    const { ports, identity, hubApi, signal, ...hub } = await open([]);
    await hub.readIdentity(signal);
    expect(ports.hubFacts().trust.publicKey).toBe(identity.trust.publicKey);
    const options = { hubApi, namespace, nowMs: Date.now(), makeKey: makeTrustKey, isOldRevoked: false, signal };
    await replaceTrustKey(options);
    await hub.readIdentity(signal);
    expect(ports.hubFacts().hubId).toBe(identity.hubId);
    expect(ports.hubFacts().trust.publicKey).not.toBe(identity.trust.publicKey);
  });

  it("opens members by the connections that it is given", async () => {
    const servers: string[] = [];
    const openDownstream: HubPortsOptions["openDownstream"] = ({ server, proxyUrl }) => {
      servers.push(`${server} by ${proxyUrl}`);
      return { close: async () => undefined } as never;
    };
    const environment = { HTTPS_PROXY: "http://proxy.example:3128" };
    const { ports } = await open([], { openDownstream, environment });
    const config = {
      clusters: [{ name: "a", cluster: { server: "https://member.example:6443" } }],
      users: [{ name: "a", user: { token: "t" } }],
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      "current-context": "a",
    };
    await ports.connectDownstream(JSON.stringify(config)).close();
    expect(servers).toEqual(["https://member.example:6443 by http://proxy.example:3128"]);
  });
});

describe("makeTrustKey", () => {
  it("makes another Ed25519 key each time", () => {
    const [one, two] = [makeTrustKey(), makeTrustKey()];
    expect(createPrivateKey(one).asymmetricKeyType).toBe("ed25519");
    expect(one).not.toBe(two);
  });
});
