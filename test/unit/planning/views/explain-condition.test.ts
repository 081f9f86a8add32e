import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import { explainConditions, nextSteps, passingReasons } from "../../../../src/planning/views/explain-condition.ts";

/** Where the reasons of a Cluster's conditions are made. */
const makers: readonly (readonly [folder: string, file: RegExp])[] = [
  ["src/planning", /^(cluster-status|agent-waves|not-served)\.ts$/u],
  ["src/join", /^\w+\/hub\/(facts|working-token|external-protocol)\.ts$/u],
  ["src/publish", /^published-condition\.ts$/u],
  ["src/hub", /^(agent-waves|exclusive-names)\.ts$/u],
  ["src/hub/members", /^downstream\.ts$/u],
  ["src/hub/members/phases", /^(install-agent|leave-previous-protocol)\.ts$/u],
];
/** Reasons of what is well, and those of an Event. */
const good = ["Accepted", "AgentBeats", "AgentReports", "IssuedByFleet", "Joined", "NotRotatable", "ProtocolChanged"];
good.push("Published", "Ready", "Rotating", "Unlimited", "UpToDate", "Valid");

function cluster(reason: string, more: Partial<Cluster> = {}): Cluster {
  const lastTransitionTime = "2027-01-01T00:00:00Z";
  const condition = { type: "Ready", status: "False" as const, reason, message: "m", lastTransitionTime };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "fleet" },
    spec: {},
    ...more,
    status: { ...more.status, conditions: [condition, { ...condition, type: "Stalled", status: "True" }] },
  };
}

function nextOf(object: Cluster): string {
  return explainConditions(object)[0]?.next ?? "";
}

describe("what to do about a condition", () => {
  it("is known for every reason that the program gives and that does not pass by itself", () => {
    const files = makers.flatMap(([folder, wanted]) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => wanted.test(file))
        .map((file) => `${folder}/${file}`),
    );
    const made = new Set(
      files.flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/(?:reason: |missing\()"([A-Z]\w+)"/gu)].map(
          ([, reason = ""]) => reason,
        ),
      ),
    );
    expect(made.size).toBeGreaterThan(40);
    const known = new Set([...Object.keys(nextSteps), ...passingReasons, ...good]);
    expect([...made].filter((reason) => !known.has(reason))).toEqual([]);
    expect(Object.keys(nextSteps).filter((reason) => passingReasons.includes(reason))).toEqual([]);
  });

  it("A256 has the namespace that an agent reports as one word of a shell", () => {
    const status = { agent: { namespace: "x; touch y" } };
    for (const reason of ["HeartbeatMissed", "AgentInstalled"])
      expect(nextOf(cluster(reason, { status })), reason).toContain("kubectl -n 'x; touch y' ");
  });

  it("A256 has each name of a cluster as one word of a shell", () => {
    const metadata = { name: "n; touch y", namespace: "w; touch y" };
    const nextStep = (reason: string, spec: Cluster["spec"] = {}) => nextOf(cluster(reason, { metadata, spec }));
    expect(nextStep("EditedOnHub")).toContain("kubectl -n 'w; touch y' label clusters.rollcall.dev 'n; touch y' KEY-.");
    expect(nextStep("PublishedInUse")).toContain("rollcall revoke 'w; touch y/n; touch y'.");
    for (const protocol of ["rollcall", "kubefleet", "clusternet"] as const)
      expect(nextStep("WaitingForAgent", { protocol }), protocol).toContain("--cluster-name 'n; touch y'");
    const fleet = nextStep("WaitingForAgent", { protocol: "fleet", clientID: "c; touch y" });
    expect(fleet).toContain("--client-id 'c; touch y' --from-hub 'w; touch y/TOKEN' ");
  });

  it.each(Object.keys(nextSteps))("is a sentence for %s, once", (reason) => {
    const [first, second] = explainConditions(cluster(reason));
    expect(first?.next).toMatch(/^[A-Z].{20,300}\.$/u);
    expect(first?.next).not.toMatch(/undefined|\[object/u);
    expect(second?.next).toBeUndefined();
  });

  it("names the agent of the cluster's own protocol where none has joined", () => {
    const waiting = (spec: Cluster["spec"]): string => nextOf(cluster("WaitingForAgent", { spec }));
    expect(waiting({})).toMatch(/^On that cluster: rollcall join --cluster-name eu-1, with the values/u);
    expect(waiting({ protocol: "kubefleet" })).toMatch(
      /^On that cluster: rollcall join --protocol kubefleet --cluster-n/u,
    );
    expect(waiting({ protocol: "fleet", clientID: "a" })).toMatch(
      /^On that cluster: .* --protocol fleet --client-id a /u,
    );
    expect(waiting({ protocol: "fleet" })).toMatch(
      /^Write a clientID into its file, then .* --protocol fleet --client-/u,
    );
  });

  it("shows whether an offboarding can still be called back", () => {
    const leaving = (phase: "Waiting" | "Uninstalling" | "Revoking") =>
      cluster("Leaving", { spec: { deletionGracePeriod: "1h" }, status: { leave: { phase } } });
    expect(nextOf(leaving("Waiting"))).toContain("bring its file back before the grace period (1h) is over");
    expect(nextOf(leaving("Uninstalling"))).toMatch(/15 minutes.*cannot be called back/u);
    expect(nextOf(leaving("Revoking"))).toMatch(/^It cannot be called back/u);
  });
});
