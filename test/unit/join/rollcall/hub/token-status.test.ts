import { describe, expect, it } from "vitest";
import { tokenStatusWrite } from "../../../../../src/join/rollcall/hub/token-status.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { copiedMembers } from "../../copied-members.ts";
import { hubFacts, proofKey, tokenSubject, workspace } from "../../hub-scene.ts";

const subject = tokenSubject("edge");
const members = copiedMembers([]);

function values(expires: string | undefined, data: Record<string, string>): KubeObject {
  const metadata = { name: "edge", namespace: workspace };
  const annotated = expires === undefined ? {} : { annotations: { "rollcall.dev/credential-expires": expires } };
  return { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, ...annotated }, data };
}

describe("the status of a token", () => {
  const data = { proofKey: proofKey.toString("base64"), values: "e30=" };
  const end = "2027-02-01T00:00:00Z";

  it.each<{ reason: string; children: readonly KubeObject[]; status: object }>([
    { reason: "no values yet", children: [], status: { ready: "Preparing" } },
    {
      reason: "values without a key",
      children: [values(undefined, { values: "e30=" })],
      status: { ready: "Preparing", secretName: "edge" },
    },
    { reason: "values", children: [values(undefined, data)], status: { ready: "Open", secretName: "edge" } },
    {
      reason: "values whose credential does not end",
      children: [values("never", data)],
      status: { ready: "Open", secretName: "edge" },
    },
    {
      reason: "values whose credential ends",
      children: [values(end, data)],
      status: { ready: "Open", secretName: "edge", credentialExpires: end },
    },
  ])("with $reason", ({ children, status }) => {
    const { ref, status: written } = tokenStatusWrite({ ...subject, children }, members, hubFacts());
    const { conditions, secretName, credentialExpires } = written as {
      conditions: { reason: string }[];
      secretName?: string;
      credentialExpires?: string;
    };
    expect(ref).toMatchObject({ namespace: workspace, name: "edge" });
    expect({ ready: conditions[0]?.reason, secretName, credentialExpires }).toEqual(status);
  });
});
