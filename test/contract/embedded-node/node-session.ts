import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { startEmbeddedNode } from "../../../src/embedded-node/embedded-node.ts";
import type { EmbeddedNode } from "../../../src/embedded-node/embedded-node.ts";
import type { PodLogRequest } from "../../../src/embedded-node/open-pod-log.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { writeWorker } from "./worker-program.ts";
import { longestWaitMs } from "../../support/until.ts";

export const manager = { fieldManager: "test" };
export const soon = { interval: 30 };

/** Any number from this one on: a container is restarted again while a slow machine polls. */
export function atLeast(least: number): object {
  return { asymmetricMatch: (value: unknown) => typeof value === "number" && value >= least };
}

/** A cluster with one node, on fast restarts. */
export interface NodeSession {
  readonly kubeconfig: string;
  readonly api: KubeApi;
  readonly nodeName: string;
  readonly dir: string;
  /** The program that is mapped to the image `worker`. */
  readonly worker: string;
  newNamespace(): Promise<string>;
  createPod(namespace: string, spec: PodOptions): Promise<KubeObject>;
  pod(namespace: string, name?: string): Promise<KubeObject | undefined>;
  /** Waits until the Pod's status has all of this. */
  untilStatus(namespace: string, status: object, name?: string): Promise<KubeObject>;
  log(request: Partial<PodLogRequest> & { namespace: string }): Promise<string>;
  openLog(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
  /** The environment that the container's program found. */
  envOf(namespace: string): Promise<Record<string, string>>;
  /** An API for the bearer of a token. */
  apiAs(token: string): KubeApi;
  until(check: () => Promise<boolean>): Promise<void>;
}

export interface PodOptions {
  readonly name?: string;
  readonly args?: readonly string[];
  readonly container?: Record<string, unknown>;
  readonly spec?: Record<string, unknown>;
}

export function useNode(startHub: () => Promise<HubUnderTest>): NodeSession {
  let hub: HubUnderTest | undefined;
  let api: KubeApi | undefined;
  let node: EmbeddedNode | undefined;
  let dir = "";
  let worker = "";
  let names = 0;
  const nodeName = `node-${process.pid}`;
  const apis: KubeApi[] = [];

  beforeAll(async () => {
    hub = await startHub();
    dir = await mkdtemp(join(tmpdir(), "rollcall-node-"));
    worker = await writeWorker(dir);
    const opened = openApi(hub.kubeconfig);
    api = opened;
    node = await startEmbeddedNode({
      api: opened,
      nodeName,
      dir,
      resolveImage: (image) =>
        image.startsWith("worker")
          ? {
              command: process.execPath,
              args: [worker],
              env: { FROM_IMAGE: "yes" },
              ...(image.startsWith("worker-foreign") ? { names: ["foreign"], readsKubeconfig: true } : {}),
            }
          : undefined,
      clock: realClock,
      random: realRandom,
      log: silentLog,
      backoff: { initialMs: 200, maximumMs: 1000, resetMs: 60_000, sourceMs: 100 },
    });
  });
  afterAll(async () => {
    await node?.stop();
    await api?.delete({ type: resourceTypes.node, name: nodeName });
    await Promise.all([...(api === undefined ? [] : [api]), ...apis].map((one) => one.close()));
    await hub?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const session: NodeSession = {
    get kubeconfig() {
      return hub?.kubeconfig ?? "";
    },
    get api() {
      if (api === undefined) throw new Error("only within a test");
      return api;
    },
    get dir() {
      return dir;
    },
    get worker() {
      return worker;
    },
    nodeName,
    async newNamespace() {
      const name = `node-${process.pid}-${++names}-${Date.now().toString(36)}`;
      await session.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, manager);
      const account = { type: resourceTypes.serviceAccount, namespace: name, name: "default" };
      await expect.poll(() => session.api.get(account), soon).toBeDefined();
      return name;
    },
    createPod: (namespace, options) => session.api.create(podOf(namespace, options), manager),
    pod: (namespace, name = "p") => session.api.get({ type: resourceTypes.pod, namespace, name }),
    async untilStatus(namespace, status, name) {
      // The Pod that was seen so: a moment later it may have another status.
      let pod: KubeObject | undefined;
      const look = async () => (pod = await session.pod(namespace, name))?.["status"];
      await expect.poll(look, soon).toMatchObject(status);
      if (pod === undefined) throw new Error("the pod is gone");
      return pod;
    },
    async log(request) {
      const signal = AbortSignal.timeout(longestWaitMs);
      return textOf(await session.openLog({ name: "p", signal, ...request }));
    },
    openLog: (request) => {
      if (node === undefined) throw new Error("only within a test");
      return node.readPodLog(request);
    },
    async envOf(namespace) {
      await expect.poll(() => session.log({ namespace }).catch(() => ""), soon).toContain("args ");
      const [, env = "{}"] = /^env (.*)$/mu.exec(await session.log({ namespace })) ?? [];
      return JSON.parse(env) as Record<string, string>;
    },
    apiAs: (token) => {
      const connection = readKubeconfig(hub?.kubeconfig ?? "");
      const bearer = {
        server: connection.server,
        getTls: async () => ({ caPem: (await connection.getTls()).caPem }),
        getToken: () => Promise.resolve(token),
      };
      const types = [
        {
          group: "authentication.k8s.io",
          version: "v1",
          kind: "SelfSubjectReview",
          plural: "selfsubjectreviews",
          isNamespaced: false,
        },
      ];
      const opened = createKubeApi({
        transport: createUndiciTransport(bearer),
        clock: realClock,
        random: realRandom,
        types,
      });
      apis.push(opened);
      return opened;
    },
    until: (check) => expect.poll(check, soon).toBe(true),
  };
  return session;
}

export function podOf(namespace: string, { name = "p", args = [], container = {}, spec = {} }: PodOptions): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "worker:1", args, ...container }],
      ...spec,
    },
  };
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export function phaseOf(pod: KubeObject | undefined): string | undefined {
  return textAt(pod, "status", "phase");
}

function openApi(kubeconfig: string): KubeApi {
  return createKubeApi({
    transport: createUndiciTransport(readKubeconfig(kubeconfig)),
    clock: realClock,
    random: realRandom,
  });
}
