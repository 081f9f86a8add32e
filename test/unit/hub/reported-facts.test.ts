import { describe, expect, it } from "vitest";
import { readReportedFacts } from "../../../src/hub/reported-facts.ts";
import type { MemberFacts } from "../../../src/join/join.ts";
import { externalFleetProtocol } from "../../../src/join/fleet/hub/external-protocol.ts";
import { memberOf, hubFacts } from "../join/hub-scene.ts";

const token = `eyJhbGciOiJSUzI1NiJ9.${"YWJj".repeat(20)}.${"x".repeat(40)}`;
const hostile = `\u001b[31m red\r\n\u202e ${token} ${Buffer.from(`Bearer ${token}`).toString("base64")} ${"y".repeat(2000)}`;
const member = memberOf("eu-1", {});

/** Every text and key of a value. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}

describe("readReportedFacts", () => {
  it("A44 A55 has no text of an agent that is long, moves a cursor or holds a token", () => {
    const said = { status: "False", reason: hostile, message: hostile } as const;
    const facts: MemberFacts = {
      hasJoined: true,
      health: { isHealthy: false, reason: hostile, message: hostile },
      credentials: said,
      agent: said,
      status: { kubernetesVersion: hostile, properties: { [hostile]: hostile }, resources: { capacity: { cpu: "4" } } },
    };
    const read = readReportedFacts({ ...externalFleetProtocol, factsOf: () => facts }, member, hubFacts());
    for (const text of textsOf(read)) {
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      expect(text.length).toBeLessThanOrEqual(1024);
      expect(text).not.toContain("YWJjYWJj");
      expect(text).not.toContain(Buffer.from("abcabcabc").toString("base64").slice(2, 10));
    }
    expect(read.health?.reason).toBe("AgentReports");
    expect(read.status.resources).toEqual({ capacity: { cpu: "4" } });
  });

  it.each([
    ["a token", `https://eyJhbGciOi${"x".repeat(20)}`],
    ["an invisible character", "https://\u200b"],
  ])("A100 leaves out a URL with %s, which is none without it", (_what, url) => {
    const none = { status: "Unknown", reason: "None", message: "" } as const;
    const status = { apiServer: { url }, kubernetesVersion: "v1.34.2" };
    const facts: MemberFacts = { hasJoined: true, health: undefined, credentials: none, agent: none, status };
    const read = readReportedFacts({ ...externalFleetProtocol, factsOf: () => facts }, member, hubFacts());
    expect(read.status).toEqual({ kubernetesVersion: "v1.34.2" });
  });

  it.each([{ url: "https://10.0.0.1:6443" }, { url: "https://10.0.0.1:6443", caBundle: "Y2E=" }, {}])(
    "keeps the address of an API server that is as it should be: %o",
    (apiServer) => {
      const none = { status: "Unknown", reason: "None", message: "" } as const;
      const facts: MemberFacts = {
        hasJoined: true,
        health: undefined,
        credentials: none,
        agent: none,
        status: { apiServer },
      };
      const read = readReportedFacts({ ...externalFleetProtocol, factsOf: () => facts }, member, hubFacts());
      expect(read.status).toEqual({ apiServer });
    },
  );

  it("keeps facts that are as they should be", () => {
    const facts: MemberFacts = {
      hasJoined: true,
      health: { isHealthy: true, reason: "AgentReports", message: "The API server is ready." },
      credentials: { status: "True", reason: "Rotating", message: "Credential 1 is valid." },
      agent: { status: "True", reason: "UpToDate", message: "The agent runs version 1.2.3 as wanted." },
      clockSkewSeconds: 3,
      status: { kubernetesVersion: "v1.34.2", nodes: { total: 2, ready: 1 } },
    };
    expect(readReportedFacts({ ...externalFleetProtocol, factsOf: () => facts }, member, hubFacts())).toEqual(facts);
  });
});
