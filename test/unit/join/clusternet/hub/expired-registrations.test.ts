import { describe, expect, it } from "vitest";
import { expiredRequests } from "../../../../../src/join/clusternet/hub/expired-registrations.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs } from "../../hub-scene.ts";
import { clusternetMemberOf, granted, hourMs, requestOf, time } from "../clusternet-scene.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";

const monthMs = 30 * 24 * hourMs;
const denied = { result: "Denied", errorMessage: "no" };
const collect = (requests: readonly KubeObject[], laterMs = 0): string[] =>
  expiredRequests(
    requests,
    indexMembers([clusternetMemberOf({ state: granted() }), clusternetMemberOf({}, "eu-2")]),
    hubFacts({ nowMs: startMs + laterMs }),
  ).map(({ name }) => name);
const named = (name: string, status?: object, creationTimestamp = time(0)): KubeObject =>
  requestOf({ metadata: { name, uid: `uid-of-${name}`, creationTimestamp }, ...(status ? { status } : {}) });

describe("expired: Clusternet's requests", () => {
  it("are not those by which an agent was admitted, whatever they contain and however old they are", () => {
    const own = requestOf({ metadata: { creationTimestamp: time(0) }, status: denied });
    expect(collect([own], 100 * monthMs)).toEqual([]);
    expect(collect([requestOf({ status: { result: "Approved" } })], 100 * monthMs)).toEqual([]);
  });

  it("are at once the answers of no cluster, which hold a credential, unless another approver gave them", () => {
    const theirs = requestOf({
      metadata: { name: "theirs", uid: "uid-9" },
      labels: {},
      status: { result: "Approved" },
    });
    expect(collect([named("gone", { result: "Approved" }), theirs], 0)).toEqual(["gone"]);
    expect(collect([theirs], 100 * monthMs)).toEqual([]);
  });

  it("are those in vain after a month, refused or not decided", () => {
    const inVain = [named("a", denied), named("b")];
    expect(collect(inVain, monthMs)).toEqual([]);
    expect(collect(inVain, monthMs + 1)).toEqual(["b", "a"]);
  });

  it("A7: are the oldest of more than twenty refused ones of one cluster by one token, and no undecided one", () => {
    const many = (status?: object) => Array.from({ length: 21 }, (_, index) => named(`r${index}`, status, time(index)));
    expect(collect(many(denied).slice(1))).toEqual([]);
    expect(collect(many(denied))).toEqual(["r0"]);
    expect(collect(many())).toEqual([]);
    expect(collect(many({ errorMessage: "waits for a file" }))).toEqual(["r0"]);
    const other = many(denied).map((one, index) => ({
      ...one,
      spec: requestOf({ labels: { "rollcall.dev/workspace": "fleet", "rollcall.dev/token": `t${index % 2}` } })["spec"],
    }));
    expect(collect(other)).toEqual([]);
  });

  it("without a time count as the oldest", () => {
    const timeless = { ...named("timeless", denied), metadata: { name: "timeless", uid: "uid-t" } };
    const twenty = Array.from({ length: 20 }, (_, index) => named(`r${index}`, denied));
    expect(collect([timeless, ...twenty])).toEqual(["timeless"]);
  });
});
