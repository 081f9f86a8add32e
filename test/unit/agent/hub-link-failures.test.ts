import { describe, expect, it } from "vitest";
import type { AgentDependencies, HubTarget } from "../../../src/agent/agent-dependencies.ts";
import type { AgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { HubLink } from "../../../src/agent/hub-link.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { hubFacts } from "../join/hub-scene.ts";

const { signal } = new AbortController();
const { hubId, trust } = hubFacts();
const at = (name: string) => ({ url: `https://${name}.example`, caBundle: `ca of ${name}` });

interface Scene {
  readonly addresses?: readonly string[];
  /** What the hub publishes at each address: a text, or an error. Default: nothing. */
  readonly published?: Readonly<Record<string, string | AppError>>;
}

/** The signed text of a hub that is at an address since. */
function infoOf(name: string, epoch = 1): string {
  const info = { hubId, trustKey: trust.publicKey, endpoints: [at(name)], validFrom: "2027-01-01T00:00:00Z", epoch };
  return JSON.stringify(signHubInfo(info, (payload) => trust.sign(payload)));
}

/** A member of a hub with these addresses; whom it connected to, and what it logged. */
function open({ addresses = ["a", "b"], published = {} }: Scene = {}) {
  const clock = createManualClock();
  const state = {
    identity: {
      hubId,
      workspace: "fleet",
      epoch: 1,
      endpoints: addresses.map(at),
      membership: { clusterName: "c", credential: { token: "working", number: 1 }, recoveryToken: "recovery" },
    } as unknown as AgentIdentity | undefined,
  };
  const secrets = {
    get identity() {
      return state.identity;
    },
    changeIdentity: async (change: (held: AgentIdentity | undefined) => AgentIdentity) =>
      (state.identity = change(state.identity)),
  } as unknown as AgentSecrets;
  const connected: HubTarget[] = [];
  const closed: string[] = [];
  const read: string[] = [];
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log: Log = { ...silentLog, info: note, warn: note };
  const connectHub = (target: HubTarget) => {
    connected.push(target);
    const [, name = ""] = /\/\/(\w+)\./u.exec(target.url) ?? [];
    return {
      server: target.url,
      close: async () => void closed.push(target.url),
      get: async ({ namespace, name: object }: ObjectRef) => {
        read.push(`${namespace}/${object} at ${name}`);
        const text = published[name];
        if (text instanceof AppError) throw text;
        return text === undefined ? undefined : { metadata: { name: object }, data: { signed: text } };
      },
    } as unknown as KubeApi;
  };
  const link = new HubLink({ connectHub, clock, random: fixedRandom(), log } as unknown as AgentDependencies, secrets);
  const fail = (code: ErrorCode, options: Partial<Parameters<HubLink["call"]>[1]> = {}) =>
    link.call(() => Promise.reject(new AppError(code, "no")), { signal, ...options });
  const succeed = (options: Partial<Parameters<HubLink["call"]>[1]> = {}) =>
    link.call(async (api) => api.server, { signal, ...options });
  const count = (listen: (listener: () => void) => () => void) => {
    const heard = { count: 0, end: () => undefined as void };
    heard.end = listen(() => (heard.count += 1));
    return heard;
  };
  return { link, state, clock, connected, closed, read, lines, fail, succeed, count };
}

describe("an agent without a membership", () => {
  it("cannot use its link, which is a mistake of this program", () => {
    const { link, state } = open();
    state.identity = { ...(state.identity as AgentIdentity), membership: undefined };
    expect(() => link.api()).toThrow(expect.objectContaining({ code: "E_BUG" }));
    state.identity = undefined;
    expect(() => link.api()).toThrow(expect.objectContaining({ code: "E_BUG" }));
  });

  it("connects with the credential of its values, to the address that its next try is to", async () => {
    const { link, state, connected, closed } = open();
    const identity = state.identity as AgentIdentity;
    const { close } = link.bootstrap(identity, "given");
    expect(connected).toEqual([{ ...at("a"), token: "given" }]);
    await close();
    expect(closed).toEqual(["https://a.example"]);
    await link.handleFailure(new AppError("E_KUBE_UNREACHABLE", "no"), signal);
    link.bootstrap(identity, "given");
    expect(connected.at(-1)).toEqual({ ...at("b"), token: "given" });
    expect(() => link.bootstrap({ ...identity, endpoints: [] }, "given")).toThrow("no address is known");
  });
});

describe("after a failure, an agent", () => {
  it.each([
    ["E_KUBE_UNREACHABLE", "https://b.example"],
    ["E_KUBE_TLS", "https://b.example"],
    ["E_KUBE_SERVER", "https://a.example"],
    ["E_KUBE_FORBIDDEN", "https://a.example"],
  ] as const)("of %s, tries %s next", async (code, next) => {
    const { fail, succeed } = open();
    await expect(fail(code)).rejects.toMatchObject({ code });
    expect(await succeed()).toBe(next);
  });

  it("begins with the first address again behind the last one, and where the hub gave others", async () => {
    const { fail, succeed, state } = open();
    for (const _twice of [1, 2]) await fail("E_KUBE_UNREACHABLE").catch(() => undefined);
    expect(await succeed()).toBe("https://a.example");
    await fail("E_KUBE_UNREACHABLE").catch(() => undefined);
    state.identity = { ...(state.identity as AgentIdentity), endpoints: [at("c"), at("d")] };
    expect(await succeed()).toBe("https://c.example");
  });

  it("F5 returns to the address before where a mistyped one was announced, and forgets it at the right one", async () => {
    const { fail, succeed, state } = open({ addresses: ["a"] });
    expect(await succeed()).toBe("https://a.example");
    const announced = (name: string): AgentIdentity => ({
      ...(state.identity as AgentIdentity),
      endpoints: [at(name)],
      lastEndpoint: at("a"),
    });
    state.identity = announced("wrong");
    expect(await fail("E_KUBE_UNREACHABLE").catch(() => "failed")).toBe("failed");
    expect(await succeed()).toBe("https://a.example");
    expect(state.identity.lastEndpoint).toEqual(at("a"));
    state.identity = announced("right");
    expect(await succeed()).toBe("https://right.example");
    expect(state.identity).toStrictEqual(expect.not.objectContaining({ lastEndpoint: at("a") }));
    await fail("E_KUBE_UNREACHABLE").catch(() => undefined);
    expect(await succeed()).toBe("https://right.example");
  });

  it("stays at an address that another call has changed to since", async () => {
    const { link, fail, succeed } = open();
    const late = link.call(
      async () => {
        await fail("E_KUBE_UNREACHABLE").catch(() => undefined);
        await succeed();
        throw new AppError("E_KUBE_UNREACHABLE", "of the first address");
      },
      { signal },
    );
    await expect(late).rejects.toMatchObject({ message: "of the first address" });
    expect(await succeed()).toBe("https://b.example");
  });

  it.each([2, 3, 4])(
    "of %i calls that were under way at once, tries the next address, and passes over none",
    async (calls) => {
      const { fail, succeed } = open({ addresses: ["a", "b", "c"] });
      await Promise.allSettled(Array.from({ length: calls }, () => fail("E_KUBE_UNREACHABLE")));
      expect(await succeed()).toBe("https://b.example");
    },
  );

  it("of a call and of the watch beside it, tries the next address", async () => {
    const { link, fail, succeed } = open();
    const api = link.api();
    await fail("E_KUBE_UNREACHABLE").catch(() => undefined);
    link.handleFailureOf(api, new AppError("E_KUBE_UNREACHABLE", "no"), signal);
    expect(await succeed()).toBe("https://b.example");
  });

  it("that comes with its own end, reports that end alone", async () => {
    const { link, succeed, count } = open();
    const stopping = new AbortController();
    const refused = count((listener) => link.onRefusal(listener));
    const work = async () => {
      stopping.abort(new Error("it ends"));
      throw new AppError("E_KUBE_UNREACHABLE", "no");
    };
    await expect(link.call(work, { signal: stopping.signal })).rejects.toThrow("it ends");
    expect([await succeed(), refused.count]).toEqual(["https://a.example", 0]);
  });
});

describe("those that listen to a link", () => {
  it("receive each refusal of the working credential, until they end it", async () => {
    const { link, fail, count } = open();
    const refused = count((listener) => link.onRefusal(listener));
    await fail("E_KUBE_UNAUTHORIZED").catch(() => undefined);
    await fail("E_KUBE_FORBIDDEN").catch(() => undefined);
    expect(refused.count).toBe(2);
    refused.end();
    await fail("E_KUBE_UNAUTHORIZED").catch(() => undefined);
    expect(refused.count).toBe(2);
  });

  it("receive no refusal that the caller handles, of the recovery credential, or of anything else", async () => {
    const { link, fail, count } = open();
    const refused = count((listener) => link.onRefusal(listener));
    await fail("E_KUBE_UNAUTHORIZED", { isQuiet: true }).catch(() => undefined);
    await fail("E_KUBE_UNAUTHORIZED", { credential: "recovery" }).catch(() => undefined);
    await fail("E_KUBE_SERVER").catch(() => undefined);
    expect(refused.count).toBe(0);
  });

  it("receive the recovery once, when a call of the working credential is answered again", async () => {
    const { link, fail, succeed, count } = open();
    const recovered = count((listener) => link.onRecovery(listener));
    await succeed();
    await fail("E_KUBE_SERVER", { credential: "recovery" }).catch(() => undefined);
    await succeed();
    expect(recovered.count).toBe(0);
    await fail("E_KUBE_SERVER").catch(() => undefined);
    await succeed({ credential: "recovery" });
    expect(recovered.count).toBe(0);
    await succeed();
    await succeed();
    expect(recovered.count).toBe(1);
    recovered.end();
    await fail("E_KUBE_SERVER").catch(() => undefined);
    await succeed();
    expect(recovered.count).toBe(1);
  });

  it("receive another working connection, and no other recovery one, until they end it", async () => {
    const { link, state, count } = open();
    const changed = count((listener) => link.onChange(listener));
    link.api("recovery");
    expect(changed.count).toBe(0);
    link.api();
    expect(changed.count).toBe(1);
    changed.end();
    state.identity = { ...(state.identity as AgentIdentity), endpoints: [at("c")] };
    link.api();
    expect(changed.count).toBe(1);
  });
});

describe("a failure of a watch", () => {
  it("leads to another address, and makes the next answer a recovery, of the connection in use alone", async () => {
    const { link, succeed, count } = open();
    const recovered = count((listener) => link.onRecovery(listener));
    const unreachable = new AppError("E_KUBE_UNREACHABLE", "no");
    const api = link.api();
    link.handleFailureOf({} as KubeApi, unreachable, signal);
    expect([await succeed(), recovered.count]).toEqual(["https://a.example", 0]);
    link.handleFailureOf(api, unreachable, signal);
    expect([await succeed(), recovered.count]).toEqual(["https://b.example", 1]);
  });
});

describe("where no certificate is trusted, an agent", () => {
  it("takes over the address that the hub signed, read without a credential and with any certificate", async () => {
    const { link, state, connected, closed, read, lines, fail, succeed, count } = open({
      published: { b: infoOf("new") },
    });
    const recovered = count((listener) => link.onRecovery(listener));
    await fail("E_KUBE_TLS").catch(() => undefined);
    expect(read).toEqual(["rollcall-public/hub-info at a", "rollcall-public/hub-info at b"]);
    expect(connected.slice(1)).toEqual([
      { ...at("a"), isUnverified: true },
      { ...at("b"), isUnverified: true },
    ]);
    expect(closed).toEqual(["https://a.example", "https://b.example"]);
    expect(state.identity?.endpoints).toEqual([at("new")]);
    expect(lines).toEqual([["the hub's new address or CA was taken over", { epoch: 1 }]]);
    expect(recovered.count).toBe(1);
    expect(await succeed()).toBe("https://new.example");
  });

  it("tries the next address after one with a text that the hub did not sign, and logs that", async () => {
    const forged = JSON.stringify({ ...(JSON.parse(infoOf("evil")) as object), signature: "AAAA" });
    const down = new AppError("E_KUBE_UNREACHABLE", "down");
    const { state, lines, fail } = open({
      addresses: ["a", "b", "c", "d"],
      published: { a: forged, b: down, c: "{}", d: infoOf("new") },
    });
    await fail("E_KUBE_TLS").catch(() => undefined);
    expect(state.identity?.endpoints).toEqual([at("new")]);
    expect(lines).toMatchObject([
      ["what the hub publishes was not usable", { name: "hub-info", server: "https://a.example" }],
      ["what the hub publishes was not usable", { name: "hub-info", server: "https://b.example" }],
      ["the hub's new address or CA was taken over", { epoch: 1 }],
    ]);
  });

  it("changes nothing for what it knows already, and is not recovered by it", async () => {
    const { link, state, lines, fail, count } = open({ published: { a: infoOf("old", 0) } });
    const recovered = count((listener) => link.onRecovery(listener));
    await fail("E_KUBE_TLS").catch(() => undefined);
    expect(state.identity?.endpoints).toEqual(["a", "b"].map(at));
    expect([lines, recovered.count]).toEqual([[], 0]);
  });

  it("does not read again at once what may stay unusable for hours, and waits longer each time", async () => {
    const { clock, read, fail, succeed } = open({ addresses: ["a"] });
    const readsAfter = async (waitMs: number): Promise<number> => {
      await clock.advance(waitMs);
      const before = read.length;
      await fail("E_KUBE_TLS").catch(() => undefined);
      return read.length - before;
    };
    expect(await readsAfter(0)).toBe(1);
    expect(await readsAfter(100)).toBe(0);
    expect(await readsAfter(1400)).toBe(1);
    expect(await readsAfter(1000)).toBe(0);
    expect(await readsAfter(60_000)).toBe(1);
    await succeed();
    await clock.advance(60_000);
    expect(await readsAfter(0)).toBe(1);
    expect(await readsAfter(1500)).toBe(1);
  });

  it("reads nothing after an address that is only not reached", async () => {
    const { read, fail } = open();
    await fail("E_KUBE_UNREACHABLE").catch(() => undefined);
    expect(read).toEqual([]);
  });
});

describe("a public signed text", () => {
  const take = async () => undefined;

  it("is read until one of the hub's addresses has a usable one", async () => {
    const { link, read } = open({ published: { b: infoOf("new") } });
    expect(await link.readPublic("other", signal, take)).toBe(true);
    expect(read).toEqual(["rollcall-public/other at a", "rollcall-public/other at b"]);
    expect(await open().link.readPublic("other", signal, take)).toBe(false);
  });

  it("is not read without an identity", async () => {
    const { link, state, connected } = open({ published: { a: infoOf("new") } });
    state.identity = undefined;
    expect(await link.readPublic("other", signal, take)).toBe(false);
    expect(connected).toEqual([]);
  });

  it("is not looked up further when the agent ends", async () => {
    const { link, read, closed } = open({ published: { a: infoOf("new") } });
    const stopping = new AbortController();
    const ended = link.readPublic("other", stopping.signal, async () => {
      stopping.abort(new Error("it ends"));
      throw new Error("no");
    });
    await expect(ended).rejects.toThrow("it ends");
    expect([read.length, closed.length]).toEqual([1, 1]);
  });
});
