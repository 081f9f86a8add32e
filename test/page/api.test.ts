import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleRecordIds } from "./example-records.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const answers = [
  { path: "session", schema: "Session" },
  { path: "fleet", schema: "FleetOverview" },
  { path: "clusters", schema: "ClusterList" },
  { path: "heartbeats", schema: "HeartbeatAges" },
  { path: "clusters/fleet-prod/prod-eu-north-2", schema: "ClusterDetail" },
  { path: "repository", schema: "RepositoryDetail" },
  { path: "plan?branch=retire-sa-east", schema: "PlanView" },
  { path: "tokens", schema: "TokenList" },
  { path: "history", schema: "FleetHistory" },
  { path: "records", schema: "RecordList" },
  { path: `records/fleet?at=${exampleRecordIds[1]}`, schema: "FleetThen" },
  { path: "records/fleet?at=unknown", schema: "ApiError" },
  { path: "timeline/fleet-prod/prod-eu-north-2", schema: "ClusterTimeline" },
  { path: "clusters/fleet-prod/nowhere", schema: "ApiError" },
];

describe("/api/v1", () => {
  let stage: Stage;
  let ajv: Ajv2020;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(200));
    const document = (await (await fetch(`${stage.url}/api/v1/openapi.json`)).json()) as object;
    ajv = new Ajv2020({ strict: false });
    ajv.addSchema(document, "api");
  });
  afterAll(async () => {
    await stage.stop();
  });

  it.each(answers)(
    "A37 answers $path as its own description declares, with no field more",
    async ({ path, schema }) => {
      const answer: unknown = await (await fetch(`${stage.url}/api/v1/${path}`)).json();
      const validate = ajv.getSchema(`api#/components/schemas/${schema}`);
      expect(validate?.(answer), JSON.stringify(validate?.errors)).toBe(true);
    },
  );

  it("A41 lets the page load its own files only", async () => {
    const policy = (await fetch(stage.url)).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
  });
});
