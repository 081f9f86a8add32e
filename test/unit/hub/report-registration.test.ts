import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { HubPorts } from "../../../src/hub/hub-ports.ts";
import type { HubWriter } from "../../../src/hub/hub-writer.ts";
import { reportRegistration } from "../../../src/hub/report-registration.ts";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import type { RegistrationDecision } from "../../../src/join/join.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { clusterOf } from "./objects.ts";

const { registrations } = clusternetProtocol;
const token = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterRegistrationToken",
  metadata: {
    name: "edge",
    namespace: "fleet",
    labels: { "rollcall.dev/repository": "rollcall.fleet" },
    managedFields: [{ manager: "rollcall-git", operation: "Apply" }],
  },
};
/** As Clusternet's agent makes it: no namespace holds it. */
const unplaced: KubeObject = {
  apiVersion: "clusters.clusternet.io/v1beta1",
  kind: "ClusterRegistrationRequest",
  metadata: { name: "early" },
  spec: {},
};
const placed: KubeObject = { ...unplaced, metadata: { name: "early", namespace: "fleet" } };
const refused: Extract<RegistrationDecision, { kind: "refused" }> = {
  kind: "refused",
  reason: "NameTaken",
  write: { ref: { type: registrations.type, name: "early" }, status: { message: "why" } },
};

interface Asked {
  readonly registration: KubeObject;
  readonly tokenName?: string;
  readonly decision?: Extract<RegistrationDecision, { kind: "refused" | "proposal" }>;
  readonly isNew?: boolean;
}

/** What is written and recorded. */
async function report({ registration, tokenName, decision = refused, isNew = true }: Asked) {
  const events: unknown[] = [];
  const written: unknown[] = [];
  const ports = {
    log: silentLog,
    events: { record: (event: unknown) => void events.push(event) },
    view: { tokenOf: () => ({ workspace: "fleet", name: "edge", token, children: [] }) },
  };
  const write = {
    applyStatus: (status: unknown) => {
      written.push(status);
      return Promise.resolve(isNew);
    },
  };
  const isRefusal = await reportRegistration(
    ports as unknown as Pick<HubPorts, "view" | "log" | "events">,
    { ...registrations, tokenNameOf: () => tokenName, workspaceOf: () => "fleet" },
    { registration, decision },
    write as unknown as HubWriter,
  );
  return { isRefusal, events, written };
}

const event = { type: "Warning", reason: "NameTaken" };

describe("reportRegistration", () => {
  it("writes a refusal and records it on the request", async () => {
    expect(await report({ registration: placed })).toEqual({
      isRefusal: true,
      written: [refused.write],
      events: [{ ...event, regarding: placed, message: "why" }],
    });
  });

  it("records nothing of a refusal that the request has already", async () => {
    const { isRefusal, events } = await report({ registration: placed, isNew: false });
    expect([isRefusal, events]).toEqual([false, []]);
  });

  it("reports a refusal of an object without a namespace with its token: it can have no Event in the workspace", async () => {
    const { events } = await report({ registration: unplaced, tokenName: "edge" });
    expect(events).toEqual([{ ...event, regarding: token, message: "early: why" }]);
    expect((await report({ registration: unplaced })).events).toEqual([]);
  });

  it.each([
    { message: "of a token: why", expected: "of a token: why" },
    { status: {}, expected: "The registration was refused." },
  ])("has the message $expected", async ({ message, status = { message: "why" }, expected }) => {
    const decision = { ...refused, write: { ...refused.write, status }, ...(message === undefined ? {} : { message }) };
    const { events } = await report({ registration: placed, decision });
    expect(events).toMatchObject([{ message: expected }]);
  });

  it("writes a proposal, which is no refusal", async () => {
    const decision = { kind: "proposal" as const, cluster: clusterOf("early"), write: refused.write };
    const { isRefusal, events, written } = await report({ registration: placed, decision });
    expect({ isRefusal, events, written }).toEqual({ isRefusal: false, events: [], written: [refused.write] });
  });
});
