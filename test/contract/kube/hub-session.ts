import { afterAll, beforeAll } from "vitest";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApiOptions } from "../../../src/kube/kube-api.ts";
import type { KubeConnection } from "../../../src/kube/connection.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { reviewTypes } from "./review-types.ts";
import { widgetType } from "./widgets.ts";

export type StartHub = () => Promise<HubUnderTest>;
export type CreateTransport = (connection: KubeConnection) => Transport;

export const manager = { fieldManager: "contract" };

/** How long a controller may take. */
export const soon = { interval: 100 };

/** A hub and what tests do with it. Everything but `admin` is made for one test. */
export interface HubSession {
  /** As the administrator of the kubeconfig. */
  readonly admin: KubeApi;
  /** As the bearer of a token, or without a credential. */
  apiAs(token: string | undefined, options?: Partial<KubeApiOptions>): KubeApi;
  /** As the administrator, with options of its own. */
  adminWith(options: Partial<KubeApiOptions>): KubeApi;
  /** A new namespace. */
  newNamespace(labels?: Record<string, string>): Promise<string>;
  /** A new service account with a Role of these rules in its namespace; its token lives for an hour. */
  newAccount(namespace: string, rules: readonly PolicyRule[]): Promise<{ name: string; token: string; api: KubeApi }>;
}

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Starts the hub before the tests of this suite and stops it after them. */
export function useHub(startHub: StartHub, createTransport: CreateTransport = createUndiciTransport): HubSession {
  let hub: HubUnderTest | undefined;
  const apis: KubeApi[] = [];
  let names = 0;
  const open = (token: string | undefined, isAdmin: boolean, options: Partial<KubeApiOptions>): KubeApi => {
    if (hub === undefined) throw new Error("only within a test");
    const connection = readKubeconfig(hub.kubeconfig);
    const asBearer = {
      server: connection.server,
      getTls: async () => ({ caPem: (await connection.getTls()).caPem }),
      ...(token === undefined ? {} : { getToken: () => Promise.resolve(token) }),
    };
    const api = createKubeApi({
      transport: createTransport(isAdmin ? connection : asBearer),
      clock: realClock,
      random: realRandom,
      types: [widgetType, ...Object.values(reviewTypes)],
      ...options,
    });
    apis.push(api);
    return api;
  };
  let admin: KubeApi | undefined;
  beforeAll(async () => {
    hub = await startHub();
    admin = open(undefined, true, {});
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.close()));
    await hub?.stop();
  });

  const session: HubSession = {
    get admin() {
      if (admin === undefined) throw new Error("only within a test");
      return admin;
    },
    apiAs: (token, options = {}) => open(token, false, options),
    adminWith: (options) => open(undefined, true, options),
    async newNamespace(labels = {}) {
      const name = `contract-${process.pid}-${++names}-${Date.now().toString(36)}`;
      await session.admin.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, manager);
      return name;
    },
    async newAccount(namespace, rules) {
      const name = `account-${++names}`;
      const metadata = { name, namespace };
      await session.admin.create({ apiVersion: "v1", kind: "ServiceAccount", metadata }, manager);
      await session.admin.create({ apiVersion: rbac, kind: "Role", metadata, rules }, manager);
      await session.admin.create(bindingOf(metadata, { kind: "Role", name }), manager);
      const { token } = await session.admin.requestToken({ namespace, serviceAccount: name, expirationSeconds: 3600 });
      return { name, token, api: session.apiAs(token) };
    },
  };
  return session;
}

const rbac = "rbac.authorization.k8s.io/v1";

/** A RoleBinding that gives a role to the service account of the same name. */
export function bindingOf(
  metadata: { name: string; namespace: string },
  role: { kind: "Role" | "ClusterRole"; name: string },
): KubeObject {
  return {
    apiVersion: rbac,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", ...role },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  };
}

export function configMap(namespace: string, name: string, data: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}

export function configMapRef(namespace: string, name: string) {
  return { type: resourceTypes.configMap, namespace, name };
}

/** The names of objects, in the order given. */
export function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}
