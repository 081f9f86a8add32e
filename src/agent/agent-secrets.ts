import { AppError, isAppError } from "../core/errors.ts";
import { numberAt, textAt } from "../core/read-json.ts";
import { refuseNewer } from "../core/refuse-newer.ts";
import { parseJson } from "../core/parse-json.ts";
import { canonicalJson } from "../core/json.ts";
import type { AgentValues } from "../join/rollcall/agent-values.ts";
import { readIdentity } from "../join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../join/rollcall/downstream/agent-identity.ts";
import { readValuesText } from "../join/rollcall/downstream/values.ts";
import type { ValuesFinding } from "../join/rollcall/downstream/values.ts";
import type { KubeApi } from "../kube/kube.ts";
import { agentNames } from "../model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";

/** The two Secrets of an agent downstream: what it is to join by, and what it is. */
export interface AgentSecrets {
  /** As last read or written; undefined before, and while there is none. */
  readonly identity: AgentIdentity | undefined;
  /**
   * Reads the identity. Undefined when there is none yet; E_AGENT_VALUES when the Secret is missing or damaged,
   * E_STORE_VERSION when a newer agent wrote it.
   */
  readIdentity(signal: AbortSignal): Promise<AgentIdentity | undefined>;
  /**
   * Changes the identity and stores it before anything is done with it. Changes are made one after the other. A change
   * that gives back the same object is not stored. E_KUBE_CONFLICT when another process took the identity over.
   */
  changeIdentity(
    change: (identity: AgentIdentity | undefined) => AgentIdentity,
    signal: AbortSignal,
  ): Promise<AgentIdentity>;
  readValues(signal: AbortSignal): Promise<ValuesFinding>;
  /** Empties the Secret, if its values are still these; others that were given meanwhile stay. */
  forgetValues(values: AgentValues, signal: AbortSignal): Promise<void>;
}

const fieldManager = fieldManagers.agent;

export function createAgentSecrets(downstreamApi: KubeApi, namespace: string): AgentSecrets {
  const identityRef = secretRef(namespace, agentNames.identity);
  const valuesRef = secretRef(namespace, agentNames.values);
  let current: AgentIdentity | undefined;
  let resourceVersion: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const read = async (signal: AbortSignal): Promise<AgentIdentity | undefined> => {
    const secret = await downstreamApi.get(identityRef, { signal });
    if (secret === undefined)
      throw new AppError("E_AGENT_VALUES", `read Secret ${namespace}/${agentNames.identity}: it is missing`);
    resourceVersion = secret.metadata.resourceVersion;
    current = parseIdentity(secret);
    return current;
  };
  const store = async (identity: AgentIdentity, signal: AbortSignal): Promise<void> => {
    // An agent of format 1 takes a replaced trust key for another hub.
    const kept = identity.trustKey === undefined ? identity : { ...identity, format: 2 };
    const encoded = Buffer.from(JSON.stringify(kept), "utf8").toString("base64");
    const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
    const patch = { ...metadata, data: { identity: encoded } };
    const stored = await downstreamApi.mergePatch(identityRef, patch, { fieldManager, signal });
    resourceVersion = stored.metadata.resourceVersion;
    current = identity;
  };
  const change = async (
    make: (identity: AgentIdentity | undefined) => AgentIdentity,
    signal: AbortSignal,
  ): Promise<AgentIdentity> => {
    const next = make(current);
    if (next === current) return next;
    try {
      await store(next, signal);
      return next;
    } catch (error) {
      if (!isAppError(error, "E_KUBE_CONFLICT")) throw error;
      const before = current;
      const live = await read(signal);
      // The labels may be reverted, or another replica led meanwhile. The keys stay those of one agent.
      if (before !== undefined && live?.keys.signing.public !== before.keys.signing.public) throw error;
      const again = make(live);
      if (again !== live) await store(again, signal);
      return again;
    }
  };

  // One after the other: a reading that began before a change must not end after it.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined); // the caller gets the failure; the next one begins anew
    return result;
  };

  return {
    get identity() {
      return current;
    },
    readIdentity: (signal) => inTurn(() => read(signal)),
    changeIdentity: (make, signal) => inTurn(() => change(make, signal)),
    async readValues(signal) {
      const secret = await downstreamApi.get(valuesRef, { signal });
      return readValuesText(decoded(secret, "values"));
    },
    async forgetValues(values, signal) {
      try {
        await forgetOnce(downstreamApi, { valuesRef, values, signal });
      } catch (error) {
        if (!isAppError(error, "E_KUBE_CONFLICT")) throw error;
        await forgetOnce(downstreamApi, { valuesRef, values, signal });
      }
    },
  };
}

interface Forgetting {
  readonly valuesRef: ObjectRef;
  readonly values: AgentValues;
  readonly signal: AbortSignal;
}

/** E_KUBE_CONFLICT when the Secret is changed at the same moment. */
async function forgetOnce(downstreamApi: KubeApi, { valuesRef, values, signal }: Forgetting): Promise<void> {
  const secret = await downstreamApi.get(valuesRef, { signal });
  const finding = readValuesText(decoded(secret, "values"));
  if (finding.kind !== "values" || canonicalJson(finding.values) !== canonicalJson(values)) return;
  const { resourceVersion } = secret?.metadata ?? {};
  const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
  await downstreamApi.mergePatch(valuesRef, { ...metadata, data: { values: null } }, { fieldManager, signal });
}

function parseIdentity(secret: KubeObject): AgentIdentity | undefined {
  const text = decoded(secret, "identity");
  if (text === undefined || text === "") return undefined;
  const value = parseJson(text);
  const { namespace, name } = secret.metadata;
  refuseNewer(`read Secret ${namespace}/${name}`, { format: numberAt(value, "format"), known: 2 });
  const identity = readIdentity(value);
  if (identity === undefined) {
    throw new AppError("E_AGENT_VALUES", `read Secret ${namespace}/${name}: key "identity" is damaged`);
  }
  return identity;
}

function decoded(secret: KubeObject | undefined, key: string): string | undefined {
  const encoded = textAt(secret, "data", key);
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

function secretRef(namespace: string, name: string): ObjectRef {
  return { type: resourceTypes.secret, namespace, name };
}
