import { beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../../../../src/embedded-hub/certificates/authority.ts";
import { signClientRequest } from "../../../../src/embedded-hub/certificates/sign-request.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { fixedRequestPem, requestObject } from "../../../support/certificate-request.ts";
import { realRandom } from "../../../support/real-time.ts";
import { until } from "../../../support/until.ts";
import type { HubWorld } from "./hub-world.ts";
import { startHubWorld } from "./hub-world.ts";

const hourMs = 3_600_000;
const kind = "certificatesigningrequests";
const namesOf = (world: HubWorld) => world.list(kind).map(({ metadata }) => metadata.name);

async function pass(world: HubWorld, durationMs: number, left: readonly string[]): Promise<void> {
  await world.clock.advance(durationMs);
  await until(
    () => Promise.resolve(namesOf(world)),
    (names) => names.length <= left.length,
  );
  expect(namesOf(world)).toEqual(left);
}

function decide(world: HubWorld, name: string, type: string, subresource = "approval"): Promise<unknown> {
  const status = { conditions: [{ type, status: "True" }] };
  return world.change(kind, name, (request) => ({ ...request, status }), { subresource });
}

function issue(world: HubWorld, name: string, certPem: string): Promise<unknown> {
  const certificate = Buffer.from(certPem).toString("base64");
  const withIt = (status: unknown): JsonObject => ({ ...(status as JsonObject), certificate });
  return world.change(kind, name, (request) => ({ ...request, status: withIt(request["status"]) }), {
    subresource: "status",
  });
}

describe("requests for certificates", () => {
  let world: HubWorld;
  let short = "";

  beforeAll(async () => {
    const options = { nowMs: 1_800_000_000_000, random: realRandom };
    const authority = await createAuthority(options);
    const asked = { requestPem: fixedRequestPem, usages: ["client auth"], expirationSeconds: 600 };
    const signed = await signClientRequest(authority, asked, options);
    if (signed.kind === "signed") short = signed.certPem;
  });

  async function start(...names: readonly string[]): Promise<void> {
    world = await startHubWorld();
    for (const name of names) await world.create(requestObject(name, fixedRequestPem, { signerName: "example.org/a" }));
  }

  it("are deleted a day after they were made when they have no decision", async () => {
    await start("pending");
    await pass(world, 24 * hourMs, ["pending"]);
    await pass(world, 1000, []);
  });

  it("are deleted an hour after they were denied or failed", async () => {
    await start("denied", "failed");
    await world.clock.advance(hourMs);
    await decide(world, "denied", "Denied");
    await decide(world, "failed", "Failed", "status");
    await pass(world, hourMs, ["denied", "failed"]);
    await pass(world, 1000, []);
  });

  it("stay when they are approved, until they have a certificate that has ended", async () => {
    await start("approved", "issued");
    await decide(world, "approved", "Approved");
    await decide(world, "issued", "Approved");
    await issue(world, "issued", short);
    await pass(world, 600_000, ["approved", "issued"]);
    await pass(world, 1000, ["approved"]);
    await pass(world, 48 * hourMs, ["approved"]);
  });
});
