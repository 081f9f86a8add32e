import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../src/model/kubernetes.ts";
import type { FleetRoles } from "./recording.ts";

/** Leases show that something lives, and Events what happened: both are written at every start. */
const unread = new Set(["Lease", "Event"]);

/** The same client, which records each write: `apply Cluster/status fleet/edge-1`. */
export function notingWrites(api: KubeApi, writes: string[]): KubeApi {
  const note = (verb: string, kind: string, place: { readonly namespace?: string; readonly name?: string }): void => {
    if (!unread.has(kind)) writes.push(`${verb} ${kind} ${[place.namespace, place.name].filter(Boolean).join("/")}`);
  };
  const ofObject = (verb: string, { kind, metadata }: KubeObject, subresource?: string): void =>
    note(verb, subresource === undefined ? kind : `${kind}/${subresource}`, metadata);
  const ofRef = (verb: string, ref: ObjectRef): void => note(verb, ref.type.kind, ref);
  return {
    ...api,
    create: (object, options) => (ofObject("create", object), api.create(object, options)),
    update: (object, options) => (ofObject("update", object, options.subresource), api.update(object, options)),
    apply: (object, options) => {
      if (options.isDryRun !== true) ofObject("apply", object, options.subresource);
      return api.apply(object, options);
    },
    mergePatch: (ref, patch, options) => (ofRef("patch", ref), api.mergePatch(ref, patch, options)),
    delete: (ref, options) => (ofRef("delete", ref), api.delete(ref, options)),
    requestToken: (request) => {
      note("token of", "ServiceAccount", { namespace: request.namespace, name: request.serviceAccount });
      return api.requestToken(request);
    },
  };
}

/** Without definitions and admission policies, which a program brings in its own version where they differ: once. */
export function dataOf(writes: readonly string[]): string[] {
  return writes.filter(
    (write) =>
      !/^apply (?:(?:CustomResourceDefinition|ValidatingAdmissionPolicy(?:Binding)?) |Namespace fleet-system$)/u.test(
        write,
      ),
  );
}

/**
 * Whether a write reports the state of the joins and the moves that were under way. The recorded version ended before it reported
 * that, so a later start does, within a second or two.
 */
export function isReportOfUnderWay({ joining, moving, tokens }: FleetRoles, write: string): boolean {
  const [, reported] = /^apply \w+\/status (.+)$/u.exec(write) ?? [];
  const underWay = [...joining, ...Object.entries(moving).flat(), ...Object.keys(tokens)];
  return reported !== undefined && underWay.includes(reported);
}

/** A status commit follows a report, and the Repository names it. */
export const reportOfStatusCommit = "apply Repository/status rollcall-system/fleet";

/** Granted requests to join, which every version deletes when they are a minute old and their agents came by the answer. */
export function grantedIn(registrations: readonly KubeObject[], writes: readonly string[]): ReadonlySet<string> {
  const granted = registrations.filter((registration) => textAt(registration, "status", "decision") === "Granted");
  const answered = writes.flatMap((write) => /^apply ClusterRegistration\/status [^/]+\/(.+)$/u.exec(write)?.[1] ?? []);
  return new Set([...granted.map(({ metadata }) => metadata.name), ...answered]);
}

/** The writes without the deletion of granted requests: on a busy machine a minute passes meanwhile. */
export function withoutServedRequests(writes: readonly string[], granted: ReadonlySet<string>): string[] {
  return writes.filter((write) => !granted.has(/^delete ClusterRegistration [^/]+\/(.+)$/u.exec(write)?.[1] ?? ""));
}
