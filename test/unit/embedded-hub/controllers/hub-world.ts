import { generateKeyPairSync } from "node:crypto";
import { onTestFinished } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { ReadObject, UserInfo } from "../../../../src/embedded-hub/auth/auth.ts";
import { createAdmission } from "../../../../src/embedded-hub/admission/admission.ts";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import { tokenKeyOf } from "../../../../src/embedded-hub/auth/jwt.ts";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import type { Controllers } from "../../../../src/embedded-hub/controllers/controllers.ts";
import { startControllers } from "../../../../src/embedded-hub/controllers/controllers.ts";
import { createSystemObjects } from "../../../../src/embedded-hub/controllers/system-objects.ts";
import { startCrdController } from "../../../../src/embedded-hub/crds/crd-controller.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { DeleteBody, OperationContext, Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { feedAuthorizer } from "../../../../src/embedded-hub/rbac-feed.ts";
import { createAnswers } from "../../../../src/embedded-hub/reviews/reviews.ts";
import { QuotaLedger } from "../../../../src/embedded-hub/quotas/quota-ledger.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { makeOperations } from "../../../../src/embedded-hub/verbs/make-operations.ts";
import { ServedViews } from "../../../../src/embedded-hub/verbs/served-views.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { ManualClock } from "../../../support/manual-clock.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realClock, realRandom } from "../../../support/real-time.ts";

export const hubKey = tokenKeyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
export const administrator: UserInfo = { username: "admin", groups: ["system:masters", "system:authenticated"] };

/** A hub without HTTP: its store, its verbs, its admission, its controllers, on a clock that the test moves. */
export interface HubWorld {
  readonly operations: Operations;
  readonly controllers: Controllers;
  readonly clock: ManualClock;
  /** Waits until no controller has anything to do. */
  readonly settle: () => Promise<void>;
  readonly get: (kind: string, name: string, namespace?: string) => KubeObject | undefined;
  readonly list: (kind: string, namespace?: string) => readonly KubeObject[];
  /** Resolves for a namespace when its service account is there, too. */
  readonly create: (object: KubeObject, user?: UserInfo) => Promise<KubeObject>;
  /** Changes the object as it is now. */
  readonly change: (
    kind: string,
    name: string,
    edit: (object: KubeObject) => KubeObject,
    at?: { readonly namespace?: string; readonly subresource?: string },
  ) => Promise<KubeObject>;
  readonly remove: (
    kind: string,
    name: string,
    options?: DeleteBody & { readonly namespace?: string },
  ) => Promise<void>;
}

const groups: Readonly<Record<string, string>> = {
  apiservices: "apiregistration.k8s.io",
  deployments: "apps",
  replicasets: "apps",
  endpointslices: "discovery.k8s.io",
  poddisruptionbudgets: "policy",
  csidrivers: "storage.k8s.io",
  csistoragecapacities: "storage.k8s.io",
  volumeattachments: "storage.k8s.io",
  certificatesigningrequests: "certificates.k8s.io",
  roles: "rbac.authorization.k8s.io",
  clusterroles: "rbac.authorization.k8s.io",
  rolebindings: "rbac.authorization.k8s.io",
  clusterrolebindings: "rbac.authorization.k8s.io",
  customresourcedefinitions: "apiextensions.k8s.io",
  validatingadmissionpolicies: "admissionregistration.k8s.io",
  validatingadmissionpolicybindings: "admissionregistration.k8s.io",
  validatingwebhookconfigurations: "admissionregistration.k8s.io",
};

/** Starts a hub with namespace `shop`; it ends with the test. `left` is what a hub before it left. */
export async function startHubWorld(
  left: readonly KubeObject[] = [],
  { mostEvents }: { readonly mostEvents?: number } = {},
): Promise<HubWorld> {
  const clock = createManualClock();
  const store = await openStore({ persistence: noPersistence, log: silentLog });
  const registry = new ResourceRegistry(builtInResources());
  for (const one of left) {
    const [group = "", place = ""] = one.apiVersion.includes("/") ? [one.apiVersion.split("/")[0], "/"] : ["", "shop/"];
    await store.put(`/${group}/${one.kind.toLowerCase()}s/${place}${one.metadata.name}`, one, 0);
  }
  const definitionOf = (plural: string) => {
    const definition = operations.definitionOf(groups[plural] ?? "", plural);
    if (definition === undefined) throw new Error(`${plural} are not served`);
    return definition;
  };
  const authorizer = createRbacAuthorizer();
  const read: ReadObject = ({ group, plural, namespace, name }) => {
    const definition = operations.definitionOf(group, plural);
    return definition && operations.get({ definition, name, ...(namespace === undefined ? {} : { namespace }) });
  };
  const tokens = { issuer: "https://hub", read, nowMs: () => clock.nowMs() };
  const issuer = { ...tokens, key: hubKey, newUuid: () => "00000000-0000-4000-8000-000000000000" };
  const authenticator = createAuthenticator({ ...tokens, keys: [hubKey] });
  const turns = createTurns(() => realClock.monotonicMs());
  const quotas = new QuotaLedger({ operations: () => operations, clock, turns });
  const ruled = createAdmission({ operations: () => operations, authorizer, clock, random: realRandom });
  const admission = { ...ruled, charge: quotas.charge };
  const operations: Operations = makeOperations({
    store,
    registry,
    views: new ServedViews(),
    admission,
    clock,
    random: realRandom,
    turns,
    answers: createAnswers({ authenticator, authorizer, issuer, admission, clock, operations: () => operations }),
  });
  const endFeed = feedAuthorizer(operations, authorizer);
  const environment = { operations, clock, random: realRandom, log: silentLog };
  const crds = startCrdController({ ...environment, registry });
  await createSystemObjects(operations);
  const keys = { caBundle: "the CA\n", tokenKey: hubKey };
  const controllers = startControllers({ ...environment, store, turns, quotas, mostEvents, ...keys });
  onTestFinished(async () => {
    await Promise.all([controllers.stop(), crds.stop()]);
    endFeed();
    await store.close();
  });
  const world: HubWorld = {
    operations,
    controllers,
    clock,
    settle: () => controllers.whenIdle(),
    get: (kind, name, namespace = "shop") => {
      const definition = definitionOf(kind);
      return operations.get({ definition, name, ...(definition.isNamespaced ? { namespace } : {}) });
    },
    list: (kind, namespace = "shop") => {
      const definition = definitionOf(kind);
      return operations.list({ definition, ...(definition.isNamespaced ? { namespace } : {}) }).items;
    },
    create: async (object, user = administrator) => {
      const definition = operations.definitionOfKind(object.apiVersion, object.kind);
      if (definition === undefined) throw new Error(`${object.kind} is not served`);
      const { namespace } = object.metadata;
      const target = { definition, ...(namespace ? { namespace } : {}) };
      const created = await operations.create(contextOf(user), target, object);
      // A Pod waits on the clock for the account of a new namespace, and a test may never move the clock.
      if (object.kind === "Namespace") await controllers.whenIdle();
      return created;
    },
    change: async (kind, name, edit, { namespace = "shop", subresource } = {}) => {
      const definition = definitionOf(kind);
      const target = { definition, name, ...(definition.isNamespaced ? { namespace } : {}) };
      const found = operations.get(target);
      if (found === undefined) throw new Error(`${kind}/${name} is not there`);
      return operations.update(
        contextOf(administrator),
        { ...target, ...(subresource ? { subresource } : {}) },
        edit(found),
      );
    },
    remove: async (kind, name, { namespace = "shop", ...options } = {}) => {
      const definition = definitionOf(kind);
      const target = { definition, name, ...(definition.isNamespaced ? { namespace } : {}) };
      await operations.delete(contextOf(administrator), target, options);
    },
  };
  await world.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  return world;
}

export function contextOf(user: UserInfo): OperationContext {
  return { user, fieldManager: "test", isDryRun: false, fieldValidation: "Strict", warnings: [] };
}

/** The message of the ApiFailure that the work ends with. */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isApiFailure(error)) return error.status.message;
    throw error;
  }
}

export function configMap(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", ...metadata } };
}

/** An owner reference to an object. */
export function ownedBy(owner: KubeObject, more: { blockOwnerDeletion?: boolean; controller?: boolean } = {}) {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", ...more };
}

export function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}
