import { setMaxListeners } from "node:events";
import { applyCrds } from "../../src/install/install-crds.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { checkFleet } from "../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../src/manifests/parse-file.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { objectAt, textAt } from "../../src/core/read-json.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../src/kube/undici-transport.ts";
import { clusternetCrds } from "../../src/model/generated/clusternet-crds.ts";
import { crds } from "../../src/model/generated/crds.ts";
import { fleetCrds } from "../../src/model/generated/fleet-crds.ts";
import { kubefleetCrds } from "../../src/model/generated/kubefleet-crds.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { mutatedDocuments } from "./mutated-documents.ts";
import { realClock, realRandom } from "./real-time.ts";
import { longestWaitMs } from "./until.ts";

export interface ApiVerdicts {
  readonly documents: number;
  readonly acceptedByBoth: number;
  readonly refusedByBoth: number;
  /** Documents that pass here and that the API refuses, with its reason. */
  readonly refusedByApiOnly: readonly string[];
  /** How often each reason refuses here what the API takes, paths and values left out. */
  readonly refusedHereOnly: Readonly<Record<string, number>>;
}

const plurals: Readonly<Record<string, string>> = {
  Cluster: "clusters",
  ClusterRegistrationToken: "clusterregistrationtokens",
  ClusterGroup: "clustergroups",
  MemberCluster: "memberclusters",
  ManagedCluster: "managedclusters",
  ClusterRegistrationRequest: "clusterregistrationrequests",
};
const clusterScoped = ["MemberCluster", "ClusterRegistrationRequest"];

/** The definitions that an installation makes: ours, and those of other projects where the project's own are absent. */
export const installedDefinitions: readonly KubeObject[] = [...crds, ...fleetCrds, ...kubefleetCrds, ...clusternetCrds];

/** Makes CustomResourceDefinitions and waits until they are served. */
export async function define(kubeconfig: string, definitions: readonly KubeObject[]): Promise<void> {
  const transport = createUndiciTransport(readKubeconfig(kubeconfig));
  const hubApi = createKubeApi({ transport, clock: realClock, random: realRandom });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  await applyCrds(hubApi, definitions, { isForeignKept: true, signal });
  await transport.close();
}

/** Compares the results of file checks of mutated documents with those of an API server: create, dry run, strict. */
export async function compareVerdicts(
  kubeconfig: string,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<ApiVerdicts> {
  const transport = createUndiciTransport(readKubeconfig(kubeconfig), { connections: 4 });
  const parse = createFileParser();
  const refusedByApiOnly: string[] = [];
  const refusedHereOnly: Record<string, number> = {};
  let acceptedByBoth = 0;
  let refusedByBoth = 0;

  async function compare(document: JsonObject): Promise<void> {
    const text = JSON.stringify(document);
    const file = parse({ path: "a.yaml", blobId: "a", bytes: new TextEncoder().encode(text) });
    // As `rollcall validate` does: some limits, those of names among them, are no matter of one file's schema.
    const { problems } = checkFleet([file], { defaultWorkspace: "default" });
    const isAccepted = file.documents.length === 1 && !problems.some(({ severity }) => severity === "error");
    const body = isJsonObject(document["metadata"]) ? sent(document) : document;
    const response = await transport.send({
      method: "POST",
      path: `${pathOf(document)}?dryRun=All&fieldValidation=Strict`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      pool: "work",
      headTimeoutMs: longestWaitMs,
      idleTimeoutMs: longestWaitMs,
    });
    const parts: Uint8Array[] = [];
    for await (const part of response.body) parts.push(part);
    const answer = Buffer.concat(parts).toString();
    if (![201, 400, 422].includes(response.status)) throw new Error(`${response.status} ${answer} ${text}`);
    const isTaken = response.status === 201;
    if (isAccepted && isTaken) acceptedByBoth++;
    else if (!isAccepted && !isTaken) refusedByBoth++;
    else if (isAccepted) refusedByApiOnly.push(`${answer.slice(0, 600)} <- ${text.slice(0, 1200)}`);
    else {
      const [problem] = problems.filter(({ severity }) => severity === "error");
      const reason = `${problem?.code} ${(problem?.message ?? "").replace(/^\S+ /u, "").replaceAll(/"[^"]*"|\d+/gu, "…")}`;
      refusedHereOnly[reason] = (refusedHereOnly[reason] ?? 0) + 1;
    }
  }

  const documents = mutatedDocuments(count, seed);
  const work = async (): Promise<void> => {
    for (const document of documents) await compare(document);
  };
  try {
    await Promise.all([work(), work(), work(), work()]);
  } finally {
    await transport.close();
  }
  return { documents: count, acceptedByBoth, refusedByBoth, refusedByApiOnly, refusedHereOnly };
}

function pathOf(document: JsonObject): string {
  const kind = textAt(document, "kind") ?? "";
  const place = clusterScoped.includes(kind) ? "" : "/namespaces/default";
  return `/apis/${textAt(document, "apiVersion")}${place}/${plurals[kind]}`;
}

/**
 * The document as it is written to a hub: in a namespace that exists, without what files may hold although no object
 * that is made can (a status, the resourceVersion and managed fields of another hub), and with a ttl of 0 as text.
 */
function sent(document: JsonObject): Json {
  const { status: _status, metadata, ...rest } = document;
  const {
    resourceVersion: _version,
    managedFields: _fields,
    namespace,
    ...meta
  } = isJsonObject(metadata) ? metadata : {};
  const isPlace = typeof namespace === "string" && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(namespace);
  const place = namespace === undefined ? {} : { namespace: isPlace ? "default" : namespace };
  const spec = objectAt(document, "spec");
  const isOwn = document["apiVersion"] === "rollcall.dev/v1alpha1";
  const ttl = isOwn && isJsonObject(spec) && spec["ttl"] === 0 ? { spec: { ...spec, ttl: "0" } } : {};
  return { ...rest, ...ttl, metadata: { ...meta, ...place } };
}
