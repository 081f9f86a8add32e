import { backoffMs } from "../core/backoff.ts";
import { AppError, describeError, isAppError } from "../core/errors.ts";
import { canonicalJson, isJsonEqual } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import { readSigned, withHubInfo } from "../join/rollcall/downstream/membership.ts";
import type { AgentIdentity } from "../join/rollcall/downstream/agent-identity.ts";
import { addressesOf } from "../join/rollcall/downstream/agent-identity.ts";
import type { HubAddress } from "../join/rollcall/signed-hub-info.ts";
import type { KubeApi } from "../kube/kube.ts";
import { hubInfoName, publicNamespace } from "../model/dialects/rollcall.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { Signed } from "../model/generated/signed.ts";
import type { AgentDependencies } from "./agent-dependencies.ts";
import type { AgentSecrets } from "./agent-secrets.ts";
import { isCredentialProblem } from "./retry.ts";

export type Credential = "working" | "recovery";

export interface CallOptions {
  /** Default: the working one. */
  readonly credential?: Credential;
  /** The caller itself handles a refused credential. Default false. */
  readonly isQuiet?: boolean;
  readonly signal: AbortSignal;
}

interface Connection {
  readonly api: KubeApi;
  readonly address: HubAddress;
}

/** Between two reads of the public info: what is unsigned or old may stay so for a while, or until the hub is restored. */
const publicInfoBackoff = { initialMs: 1000, maximumMs: 30_000 };

/**
 * The agent's connection to its hub: the best of the hub's addresses, with the newest credential. After an unreachable
 * address or an untrusted certificate it tries the next address; behind those that are announced, the one before. If no
 * certificate is trusted, it reads the hub's signed info without any credential.
 */
export class HubLink {
  readonly #dependencies: AgentDependencies;
  readonly #secrets: AgentSecrets;
  readonly #connections = new Map<Credential, Connection & { readonly key: string }>();
  readonly #listeners = new Set<() => void>();
  readonly #refusalListeners = new Set<() => void>();
  readonly #recoveryListeners = new Set<() => void>();
  #isFailing = false;
  #address = 0;
  #endpoints = "";
  #infoReads = 0;
  #nextPublicInfoMs = -Infinity;

  constructor(dependencies: AgentDependencies, secrets: AgentSecrets) {
    this.#dependencies = dependencies;
    this.#secrets = secrets;
  }

  /** The connection as a member of the fleet. E_BUG before the agent is one. */
  api(credential: Credential = "working"): KubeApi {
    return this.#open(credential).api;
  }

  #open(credential: Credential): Connection {
    const identity = this.#secrets.identity;
    const membership = identity?.membership;
    if (identity === undefined || membership === undefined)
      throw new AppError("E_BUG", "talk to the hub: this agent is not admitted yet");
    const token = credential === "working" ? membership.credential.token : membership.recoveryToken;
    const address = this.#endpointOf(identity);
    const target = { ...address, token };
    const key = canonicalJson(target);
    const open = this.#connections.get(credential);
    if (open?.key === key) return open;
    void open?.api.close();
    const api = this.#dependencies.connectHub(target);
    this.#connections.set(credential, { key, api, address });
    if (credential === "working") for (const listener of [...this.#listeners]) listener();
    return { api, address };
  }

  /** Does the work over the link. Its error is recorded, and thrown. */
  async call<T>(work: (api: KubeApi) => Promise<T>, options: CallOptions): Promise<T> {
    const { credential = "working", isQuiet = false, signal } = options;
    const { api, address } = this.#open(credential);
    try {
      const answer = await work(api);
      this.#leaveLast(address, signal);
      if (credential === "working" && this.#isFailing) this.recordRecovery();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (credential === "working") this.#isFailing = true;
      if (this.#connections.get(credential)?.api === api) {
        await this.handleFailure(error, signal, address);
        if (credential === "working" && !isQuiet) this.recordRefusal(error);
      }
      throw error;
    }
  }

  /** Reports that the hub refused the working credential, if the error is that. */
  recordRefusal(error: unknown): void {
    if (isCredentialProblem(error)) for (const listener of [...this.#refusalListeners]) listener();
  }

  /** Calls the listener whenever the hub refuses the working credential. Returns the function that ends it. */
  onRefusal(listener: () => void): () => void {
    this.#refusalListeners.add(listener);
    return () => this.#refusalListeners.delete(listener);
  }

  /**
   * Calls the listener when the hub accepts the working credential again, or publishes its new address: loops with
   * growing delays then retry at once. Returns the function that ends it.
   */
  onRecovery(listener: () => void): () => void {
    this.#recoveryListeners.add(listener);
    return () => this.#recoveryListeners.delete(listener);
  }

  recordRecovery(): void {
    this.#isFailing = false;
    this.#infoReads = 0;
    for (const listener of [...this.#recoveryListeners]) listener();
  }

  /** A connection of its own, with the credential of the values that the agent was given. */
  bootstrap(identity: AgentIdentity, token: string): { readonly api: KubeApi; readonly close: () => Promise<void> } {
    const api = this.#dependencies.connectHub({ ...this.#endpointOf(identity), token });
    return { api, close: () => api.close() };
  }

  /**
   * After a failure of this connection, or of one made by {@link bootstrap}: the next one is to another address than `failed`,
   * which several calls may have been under way to. Default: than the one that is next.
   */
  async handleFailure(error: unknown, signal: AbortSignal, failed?: HubAddress): Promise<void> {
    if (!isAppError(error, "E_KUBE_TLS", "E_KUBE_UNREACHABLE")) return;
    const { identity } = this.#secrets;
    if (!failed || !identity || isJsonEqual(this.#endpointOf(identity), failed)) this.#address++;
    if (isAppError(error, "E_KUBE_TLS")) await this.#readPublicInfo(signal);
  }

  /**
   * Records a failure of this connection; no effect when another one is in use by now. The next call that is answered is a
   * recovery.
   */
  handleFailureOf(api: KubeApi, error: unknown, signal: AbortSignal): void {
    const open = this.#connections.get("working");
    if (open?.api !== api) return;
    this.#isFailing = true;
    this.handleFailure(error, signal, open.address).catch((failure: unknown) => {
      if (!signal.aborted) this.#dependencies.log.warn("search for the hub failed", { error: describeError(failure) });
    });
  }

  /** Calls the listener whenever address or working credential change. Returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(({ api }) => api.close()));
    this.#connections.clear();
  }

  /** The hub was reached where it announced itself: the address before counts no more. */
  #leaveLast(reached: HubAddress, signal: AbortSignal): void {
    const { identity } = this.#secrets;
    if (identity?.lastEndpoint === undefined || !identity.endpoints.some((one) => isJsonEqual(one, reached))) return;
    this.#secrets
      .changeIdentity((held = identity) => {
        const { lastEndpoint, ...rest } = held;
        return lastEndpoint !== undefined && isJsonEqual(held.endpoints, identity.endpoints) ? rest : held;
      }, signal)
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#dependencies.log.warn("storing the identity failed", { error: describeError(error) });
      });
  }

  #endpointOf(identity: AgentIdentity): HubAddress {
    const text = canonicalJson(identity.endpoints);
    if (text !== this.#endpoints) {
      this.#endpoints = text;
      this.#address = 0;
    }
    const addresses = addressesOf(identity);
    const endpoint = addresses[this.#address % addresses.length];
    if (endpoint === undefined) throw new AppError("E_BUG", "talk to the hub: no address is known");
    return endpoint;
  }

  /** Stores what the hub publishes about itself. */
  async #readPublicInfo(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#dependencies;
    if (clock.monotonicMs() < this.#nextPublicInfoMs) return;
    this.#nextPublicInfoMs = clock.monotonicMs() + backoffMs(this.#infoReads++, random, publicInfoBackoff);
    await this.readPublic(hubInfoName, signal, async (signed, identity) => {
      const before = this.#secrets.identity;
      const after = await this.#secrets.changeIdentity((held) => withHubInfo(held ?? identity, signed), signal);
      if (after === before) return;
      log.info("the hub's new address or CA was taken over", { epoch: after.epoch });
      this.recordRecovery();
    });
  }

  /**
   * Reads a public signed text from one address after the other, without any credential and with any certificate: only
   * the signature counts, and `take` checks it. True when it was accepted.
   */
  async readPublic(
    name: string,
    signal: AbortSignal,
    take: (signed: Signed, identity: AgentIdentity) => Promise<void>,
  ): Promise<boolean> {
    const { connectHub, log } = this.#dependencies;
    const identity = this.#secrets.identity;
    const ref = { type: resourceTypes.configMap, namespace: publicNamespace, name };
    for (const { url, caBundle } of identity ? addressesOf(identity) : []) {
      const api = connectHub({ url, caBundle, isUnverified: true });
      try {
        const map = await api.get(ref, { signal });
        const signed = readSigned(parseJson(textAt(map, "data", "signed") ?? ""));
        if (signed === undefined || identity === undefined) continue;
        await take(signed, identity);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        log.warn("what the hub publishes was not usable", { name, server: url, error: describeError(error) });
      } finally {
        await api.close();
      }
    }
    return false;
  }
}
