import type { CredentialDue, Subject } from "../../../src/join/join.ts";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { isJsonEqual } from "../../../src/core/json.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { memberStateObject } from "../../../src/model/member-state.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../src/model/member.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";
import { hubFacts, memberOf, tokenSubject, result, workspace } from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";

/**
 * The loop that src/hub runs around the port, for one member, on plain values: no API server, so nothing here shows what
 * one would refuse.
 */
export class TinyHub {
  nowMs = hubFacts().nowMs;
  state: MemberState | undefined;
  parts: MemberParts;
  token: TokenSubject | undefined;
  readonly objects = new Map<string, KubeObject>();
  readonly credential: CredentialDue[] = [];
  facts: Partial<HubFacts> = {};
  /** Tokens that were issued and whose Secret is there. */
  readonly tokens = new Map<string, string>();
  readonly #name: string;

  constructor(name: string, parts: MemberParts = {}) {
    this.#name = name;
    this.parts = parts;
  }

  get hub(): HubFacts {
    return hubFacts({ nowMs: this.nowMs, ...this.facts });
  }

  get member(): Member {
    const state = this.state === undefined ? [] : [memberStateObject(workspace, this.#name, this.state)];
    const children = [...this.objects.values(), ...state];
    return memberOf(this.#name, { ...this.parts, state: this.state, children });
  }

  get(kind: string, name: string): KubeObject | undefined {
    return this.objects.get(`${kind}/${name}`);
  }

  put(object: KubeObject): void {
    this.objects.set(`${object.kind}/${object.metadata.name}`, object);
  }

  /** Names of what there is, as `Kind/name`, sorted. */
  names(): string[] {
    return [...this.objects.keys()].sort();
  }

  /** Whether a credential is still good: the Secret that it is bound to is there. */
  isAlive(token: string): boolean {
    const secret = this.tokens.get(token);
    return secret !== undefined && this.objects.has(`Secret/${secret}`);
  }

  register(registration: KubeObject): string {
    this.put(registration);
    const decision = protocol.registrations.decide(
      registration,
      {
        ...(this.token ? { token: this.token } : {}),
        members: indexMembers([this.member]),
        tokens: () => (this.token ? [this.token] : []),
      },
      this.hub,
    );
    if (decision.kind === "granted") this.state = decision.state;
    if (decision.kind === "refused") this.#writeStatus(decision.write);
    return result(decision);
  }

  /** Reconciles the member until nothing changes. */
  async settle(): Promise<void> {
    for (let round = 0; round < 10; round++) if (!(await this.#reconcile())) return;
    throw new Error("the hub does not come to rest");
  }

  async #reconcile(): Promise<boolean> {
    let hasChanged = false;
    for (const object of protocol.desiredObjects(this.member, this.hub)) hasChanged = this.#apply(object) || hasChanged;
    const subject: Subject = { kind: "member", member: this.member };
    const wanted = protocol
      .desiredObjects(this.member, this.hub)
      .map((object) => `${object.kind}/${object.metadata.name}`);
    const kept = protocol.keptObjects(subject, this.hub).map((ref) => `${ref.type.kind}/${ref.name}`);
    const owned = new Set(protocol.ownedTypes.map(({ kind }) => kind));
    for (const key of this.names()) {
      if (!owned.has(key.split("/")[0] ?? "") || wanted.includes(key) || kept.includes(key)) continue;
      this.objects.delete(key);
      hasChanged = true;
    }
    for (const due of protocol.credentialsDue({ kind: "member", member: this.member }, this.hub)) {
      await this.#mint(due);
      hasChanged = true;
    }
    for (const write of protocol.statusWrites(this.member, this.hub))
      hasChanged = this.#writeStatus(write) || hasChanged;
    return hasChanged;
  }

  async #mint(due: CredentialDue): Promise<void> {
    this.credential.push(due);
    if (due.how.kind !== "token-request") throw new Error("members mint by TokenRequest");
    const { boundSecret, expirationSeconds } = due.how;
    if (boundSecret === undefined || this.objects.has(`Secret/${boundSecret.metadata.name}`))
      throw new Error("a credential has a Secret of its own");
    this.put(boundSecret);
    const token = `token-${this.credential.length}-${due.purpose}`;
    this.tokens.set(token, boundSecret.metadata.name);
    const delivery = await protocol.deliver(
      { kind: "member", member: this.member },
      {
        due,
        token,
        issuedAt: new Date(this.nowMs).toISOString(),
        expiresAt: new Date(this.nowMs + expirationSeconds * 1000).toISOString(),
        random: Buffer.alloc(due.randomBytes ?? 0, this.credential.length),
      },
      this.hub,
      { bytes: (count) => Buffer.alloc(count, 100 + this.credential.length) },
    );
    if (delivery.state !== undefined) this.state = delivery.state;
    for (const object of delivery.objects) this.#apply(object);
    for (const write of delivery.statusWrites) this.#writeStatus(write);
  }

  /** The hub's part of an object; what others wrote stays. */
  #apply(object: KubeObject): boolean {
    const key = `${object.kind}/${object.metadata.name}`;
    const before = this.objects.get(key);
    const filled =
      object["type"] === "kubernetes.io/service-account-token"
        ? { data: { token: Buffer.from(`recovery of ${object.metadata.name}`).toString("base64") } }
        : {};
    const uid = before?.metadata.uid;
    const metadata = { ...object.metadata, ...(uid === undefined ? {} : { uid }) };
    const after = { ...before, ...object, ...filled, metadata };
    if (before !== undefined && isJsonEqual(before, after)) return false;
    this.objects.set(key, after);
    return true;
  }

  #writeStatus({
    ref,
    status,
  }: {
    readonly ref: ObjectRef;
    readonly status: Readonly<Record<string, unknown>>;
  }): boolean {
    const object = this.get(ref.type.kind, ref.name);
    if (object === undefined || isJsonEqual(object["status"], status)) return false;
    this.put({ ...object, status });
    return true;
  }
}

/** A hub with one token that lets anybody in. */
export function tinyHub(name: string, parts: MemberParts = {}): TinyHub {
  const hub = new TinyHub(name, parts);
  hub.token = tokenSubject("edge", { clusterNames: [name] });
  return hub;
}
