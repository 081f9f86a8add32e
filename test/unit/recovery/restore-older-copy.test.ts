import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import type { TokenRecord } from "../../../src/model/generated/token-record.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { memberStateObject, readMemberState } from "../../../src/model/member-state.ts";
import { compareWithOlderCopy } from "../../../src/recovery/restore-older-copy.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const known = { signing: "known", sealing: "known" };

function clusterRecord(rest: Partial<ClusterRecord> = {}): ClusterRecord {
  const keys = [{ digest: `sha256:${"ab".repeat(32)}`, signingKey: "known", sealingKey: "known" }];
  return {
    apiVersion,
    kind: "ClusterRecord",
    metadata: { name: "a", namespace: "fleet" },
    protocol: "rollcall",
    keys,
    ...rest,
  };
}

const tokenRecord = (uses: number | undefined, name = "t", namespace = "fleet"): TokenRecord => ({
  apiVersion,
  kind: "TokenRecord",
  metadata: { name, namespace },
  ...(uses === undefined ? {} : { uses }),
});

interface Copy {
  readonly state?: MemberState;
  readonly cluster?: object;
  readonly token?: object;
}

/** What a hub writes that is compared with these records; undefined where it is no older copy. */
async function catchUp(
  { state, cluster, token }: Copy,
  records: {
    readonly clusters?: readonly ClusterRecord[];
    readonly tokens?: readonly TokenRecord[];
    readonly isSigned?: boolean;
  },
) {
  const writes: unknown[] = [];
  const states: KubeObject[] = [];
  const hubApi = {
    get: async ({ type }: ObjectRef) => {
      if (type.kind === "ConfigMap") return state && memberStateObject("fleet", "a", state);
      return type.kind === "Cluster" ? cluster : token;
    },
    mergePatch: async ({ type, name }: ObjectRef, patch: object) => void writes.push([type.kind, name, patch]),
    apply: async (object: KubeObject) => {
      states.push(object);
      return object;
    },
  } as unknown as KubeApi;
  const { clusters = [], tokens = [], isSigned = true } = records;
  const { signal } = new AbortController();
  const write = await compareWithOlderCopy({ hubApi, clusters, tokens, isSigned, log: silentLog, signal });
  expect([writes, states]).toEqual([[], []]);
  await write?.();
  return { isOlder: write !== undefined, writes, states: states.map((one) => readMemberState(one)) };
}

const credential = (number: number) =>
  ({ number, issuedAt: "", expiresAt: "" }) as unknown as NonNullable<MemberState["credential"]>;

describe("a hub that is compared with its status branch", () => {
  it.each([
    { what: "has issued an earlier credential than recorded", issued: 2, recorded: 3, isOlder: true },
    { what: "has issued the recorded one", issued: 3, recorded: 3, isOlder: false },
    { what: "has issued a later one", issued: 4, recorded: 3, isOlder: false },
    { what: "has issued one where none is recorded", issued: 1, recorded: undefined, isOlder: false },
    { what: "has issued none", issued: undefined, recorded: 3, isOlder: false },
  ])("is an older copy where it $what: $isOlder", async ({ issued, recorded, isOlder }) => {
    const state = { keys: known, ...(issued === undefined ? {} : { credential: credential(issued) }) };
    const record = clusterRecord(recorded === undefined ? {} : { credentialNumber: recorded });
    const found = await catchUp({ state }, { clusters: [record] });
    expect(found).toEqual({ isOlder, writes: [], states: [] });
  });

  it("is none where nothing is recorded, or it knows nothing of what is", async () => {
    expect((await catchUp({}, {})).isOlder).toBe(false);
    const revoked = { blob: "b", by: "ann", time: "2027-01-01T00:00:00Z" };
    expect((await catchUp({}, { clusters: [clusterRecord({ revoked })], tokens: [tokenRecord(3)] })).isOlder).toBe(
      false,
    );
  });

  it.each([
    { counted: 2, recorded: 3, isOlder: true },
    { counted: undefined, recorded: 1, isOlder: true },
    { counted: 3, recorded: 3, isOlder: false },
    { counted: 4, recorded: 3, isOlder: false },
    { counted: undefined, recorded: undefined, isOlder: false },
  ])("counts the uses of a token again, $counted of which $recorded are recorded: $isOlder", async (row) => {
    const token = { status: row.counted === undefined ? {} : { uses: row.counted } };
    const found = await catchUp({ token }, { tokens: [tokenRecord(row.recorded)] });
    expect(found.writes).toEqual(
      row.isOlder ? [["ClusterRegistrationToken", "t", { status: { uses: row.recorded } }]] : [],
    );
    expect(found.isOlder).toBe(row.isOlder);
  });

  describe("and that an operator uses while it is restored", () => {
    const recorded = clusterRecord({ revoked: { blob: "b", by: "ann", time: "2027-01-01T00:00:00Z" } });

    /** What is written where the Cluster is `then` when the record is, and had no revocation when it was compared. */
    async function writesOver(then: object | undefined): Promise<unknown[]> {
      const reads = [{ metadata: { uid: "u", resourceVersion: "1" } }, then];
      const writes: unknown[] = [];
      const hubApi = {
        get: async ({ type }: ObjectRef) => (type.kind === "Cluster" ? reads.shift() : undefined),
        mergePatch: async (_ref: ObjectRef, patch: object) => void writes.push(patch),
      } as unknown as KubeApi;
      const { signal } = new AbortController();
      const compared = { hubApi, clusters: [recorded], tokens: [], isSigned: true, log: silentLog, signal };
      await (
        await compareWithOlderCopy(compared)
      )?.();
      return writes;
    }
    const revokedBy = (value: string) => ({
      metadata: { uid: "u", resourceVersion: "2", annotations: { "rollcall.dev/revoked": value } },
    });

    it.each([
      ["that names no version of the file yet", revokedBy("-/eve/2027-02-01T00:00:00Z")],
      ["that names none, and has an earlier time", revokedBy("-/eve/2026-12-01T00:00:00Z")],
      ["of a later version of the file", revokedBy("c/eve/2027-02-01T00:00:00Z")],
    ])("keeps a revocation %s, which ended with the recorded one", async (_, then) => {
      expect(await writesOver(then)).toEqual([]);
    });

    it("writes none for a Cluster that was deleted meanwhile", async () => {
      expect(await writesOver(undefined)).toEqual([]);
    });

    it("writes the recorded one over the Cluster that it read last, and over no other", async () => {
      const annotations = { "rollcall.dev/revoked": "b/ann/2027-01-01T00:00:00Z" };
      const written = [{ metadata: { uid: "u", resourceVersion: "2", annotations } }];
      expect(await writesOver({ metadata: { uid: "u", resourceVersion: "2" } })).toEqual(written);
      expect(await writesOver(revokedBy("a/bob/2026-12-01T00:00:00Z"))).toEqual(written);
    });
  });

  describe("and whose agent another one replaced", () => {
    const joined = (time: string) => ({ mode: "AgentInitiated" as const, token: "t", time });
    const other = (rest: Partial<ClusterRecord> = {}): ClusterRecord => {
      const keys = [{ digest: `sha256:${"cd".repeat(32)}`, signingKey: "other", sealingKey: "other" }];
      return clusterRecord({ keys, credentialNumber: 3, ...rest });
    };
    const state = { keys: known, lastCredentialNumber: 2 };

    it("takes over the agent with the later number, and the uses of the token by which it joined", async () => {
      const tokens = [tokenRecord(7, "other"), tokenRecord(8, "t", "elsewhere"), tokenRecord(5)];
      const { states } = await catchUp(
        { state },
        { clusters: [other({ join: joined("2027-01-01T00:00:00Z") })], tokens },
      );
      expect(states).toMatchObject([{ keys: { signing: "other" }, lastCredentialNumber: 3, join: { tokenUse: 5 } }]);
    });

    it.each([
      { what: "the branch is not signed", copy: { state }, record: other(), isSigned: false },
      { what: "it knows no agent", copy: {}, record: other() },
      { what: "the record is of the same agent", copy: { state }, record: clusterRecord({ credentialNumber: 9 }) },
      { what: "the record has no keys", copy: { state }, record: other({ keys: [] }) },
      { what: "the recorded one is offboarded", copy: { state }, record: other({ leave: { commit: "c" } }) },
      {
        what: "it has issued as many credentials",
        copy: { state: { ...state, credential: credential(3) } },
        record: other(),
      },
      {
        what: "it has issued as many, and knows no last number",
        copy: { state: { keys: known, credential: credential(3) } },
        record: other(),
      },
      {
        what: "the recorded one joined earlier, and its number is not on record",
        copy: { state, cluster: { metadata: { name: "a", creationTimestamp: "2027-01-02T00:00:00Z" } } },
        record: { ...other({ join: joined("2027-01-01T00:00:00Z") }), credentialNumber: undefined },
      },
    ])("keeps its own where $what", async ({ copy, record, isSigned = true }) => {
      expect((await catchUp(copy, { clusters: [record], isSigned })).states).toEqual([]);
    });

    const times = { early: "2026-01-01T00:00:00Z", late: "2027-01-01T00:00:00Z", later: "2027-06-01T00:00:00Z" };
    it.each([
      { what: "joined later", at: times.later, known: times.late, created: times.early, isTaken: true },
      { what: "joined at the same time", at: times.late, known: times.late, created: times.early, isTaken: false },
      {
        what: "joined before the Cluster was made",
        at: times.later,
        known: times.late,
        created: times.later,
        isTaken: false,
      },
      { what: "joined earlier", at: times.early, known: times.late, created: times.early, isTaken: false },
      { what: "has no time", at: undefined, known: times.late, created: times.early, isTaken: false },
      { what: "joined after one whose time is not known", at: times.later, known: undefined, isTaken: false },
      {
        what: "joined a Cluster that is not there",
        at: times.later,
        known: times.late,
        created: undefined,
        isTaken: true,
      },
    ])(
      "of the same number takes the place where it $what: $isTaken",
      async ({ at, known: since, created, isTaken }) => {
        const join = since === undefined ? undefined : { time: since, registration: "r", initiated: "agent" as const };
        const cluster = created === undefined ? undefined : { metadata: { name: "a", creationTimestamp: created } };
        const record = other({ credentialNumber: 2, ...(at === undefined ? {} : { join: joined(at) }) });
        const { states } = await catchUp(
          { state: { ...state, ...(join ? { join } : {}) }, ...(cluster ? { cluster } : {}) },
          { clusters: [record] },
        );
        expect(states).toHaveLength(isTaken ? 1 : 0);
      },
    );
  });
});
