// admission: what may still change or refuse a write after RBAC let it in. One file a plugin; this one runs them in
// kube-apiserver's order. No webhook is called: writes that one selects get a
// warning.
import type { Clock, Random } from "../../core/clock.ts";
import type { ReadObject } from "../auth/auth.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import { pathNotFound } from "../failures/failures.ts";
import type { Admission, AdmissionRequest } from "../operations/admission.ts";
import type { Operations } from "../operations/operations.ts";
import { createBoundedCounts } from "./bounded-counts.ts";
import { checkCertificateRequest } from "./certificate-requests.ts";
import { withDefaultTolerations } from "./default-tolerations.ts";
import { checkDefinitionStays } from "./ending-definition.ts";
import { withIngressClass } from "./ingress-class.ts";
import { checkLimits, withLimitDefaults } from "./limit-ranges.ts";
import { checkNamespace } from "./namespace-lifecycle.ts";
import { withKeptPriority, withPriority } from "./pod-priority.ts";
import { checkPodSecurity } from "./pod-security.ts";
import { checkRoleEscalation } from "./role-escalation.ts";
import { checkOverhead, withRuntimeClass } from "./runtime-class.ts";
import { checkDebugSecrets, withServiceAccount } from "./service-account.ts";
import { createServiceAddresses } from "./service-addresses.ts";
import type { Follow } from "./taken-items.ts";
import { createPolicyEnforcer } from "./validating-policies.ts";

export interface AdmissionOptions {
  /** The verbs; asked when something is admitted, for they are made after admission. */
  readonly operations: () => Operations;
  readonly authorizer: RbacAuthorizer;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The admission of a hub: namespaces, Pods' limits, accounts, tolerations, priorities and runtime classes, classes of
 * Ingresses, role escalation, Pod Security, requests for certificates, policies.
 */
export function createAdmission({ operations, authorizer, clock, random }: AdmissionOptions): Admission {
  const read: ReadObject = ({ group, plural, namespace, name }) => {
    const definition = operations().definitionOf(group, plural);
    if (definition === undefined) return undefined;
    return operations().get({ definition, name, ...(namespace === undefined ? {} : { namespace }) });
  };
  const listAll = (group: string, plural: string, namespace?: string) => {
    const definition = operations().definitionOf(group, plural);
    if (definition === undefined) return [];
    return operations().list({ definition, ...(namespace === undefined ? {} : { namespace }) }).items;
  };
  const listPods = (namespace: string) => listAll("", "pods", namespace);
  const listLimits = (namespace: string) => listAll("", "limitranges", namespace);
  const followServices: Follow = (onChange) => {
    const definition = operations().definitionOf("", "services");
    if (definition === undefined) throw new TypeError("Services are not served");
    const { items, revision } = operations().list({ definition });
    for (const service of items) onChange(service, false);
    operations().observe(definition, revision, ({ kind, object }) => onChange(object, kind === "deleted"));
  };
  const addresses = createServiceAddresses({ followServices, random });
  const counts = createBoundedCounts(listAll);
  const policies = createPolicyEnforcer(operations, authorizer);
  return {
    mutate: async (request) => {
      checkDefinitionStays(request);
      checkNamespace(request, { read });
      // Here, for kube-apiserver evaluates it before the object is validated.
      checkRoleEscalation(request, authorizer);
      if (isPod(request, "UPDATE")) return withDefaultTolerations(withKeptPriority(request));
      if (isNewIngress(request)) {
        return withIngressClass(request.object, () => listAll("networking.k8s.io", "ingressclasses"));
      }
      if (!isPod(request, "CREATE")) return request.object;
      const limited = withLimitDefaults(request, listLimits);
      const accounted = await withServiceAccount({ ...request, object: limited }, { read, clock, random });
      const object = withPriority({ ...request, object: withDefaultTolerations(accounted) }, { read, listAll });
      return withRuntimeClass({ ...request, object }, read);
    },
    assign: ({ definition, object, oldObject, isDryRun }) => {
      if (oldObject === undefined) counts.claim({ definition, object, isDryRun });
      return definition.group === "" && definition.plural === "services"
        ? addresses.assign({ service: object, old: oldObject, isDryRun })
        : object;
    },
    release: (assigned) => {
      addresses.release(assigned);
      counts.release(assigned);
    },
    validate: async (request) => {
      if (request.operation === "DELETE") checkNamespace(request, { read });
      if (isBoundPod(request)) return;
      checkLimits(request, listLimits);
      const { object } = request;
      if (object !== undefined && isPod(request, "UPDATE", "ephemeralcontainers")) {
        await checkDebugSecrets({ ...request, object }, { read, clock, random });
      }
      if (object !== undefined && isPod(request, "CREATE")) checkOverhead({ ...request, object }, read);
      checkPodSecurity(request, { read, listPods });
      await checkCertificateRequest(request, authorizer);
      policies.enforce(request);
    },
    confirm: (request, readForWrite) => {
      const { group, plural, version } = request.definition;
      const definition = operations().definitionOf(group, plural, version);
      if (definition === undefined) throw pathNotFound();
      checkDefinitionStays({ ...request, definition });
      checkNamespace(request, { read: readForWrite });
    },
  };
}

/** The Pod that gets its node: what was admitted is its Binding. */
function isBoundPod({ definition: { group, plural }, operation, subresource }: AdmissionRequest): boolean {
  return group === "" && plural === "pods" && operation === "UPDATE" && subresource === "binding";
}

function isNewIngress({ definition: { group, plural }, operation, subresource }: AdmissionRequest): boolean {
  return group === "networking.k8s.io" && plural === "ingresses" && operation === "CREATE" && subresource === undefined;
}

function isPod(request: AdmissionRequest, wanted: "CREATE" | "UPDATE", subresource?: "ephemeralcontainers"): boolean {
  const { group, plural } = request.definition;
  return group === "" && plural === "pods" && request.operation === wanted && request.subresource === subresource;
}
