import { describe, expect, it } from "vitest";
import {
  agentAccountName,
  dedicatedNamespaceName,
  tokenAccountName,
  isClusterId,
  isClusternetName,
  registrationRequestName,
  requestRoleName,
} from "../../../../src/model/dialects/clusternet.ts";
import { renderTokenValues } from "../../../../src/join/clusternet/hub/token-values.ts";
import { tokenFlags, readTokenFlags } from "../../../../src/join/clusternet/manifests/agent-flags.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";

describe("names of Clusternet", () => {
  it("gives what Clusternet's own programs give, and names the rest once", () => {
    expect(registrationRequestName(id)).toBe(`clusternet-${id}`);
    expect(dedicatedNamespaceName("fleet", "eu-1")).toBe("clusternet-eu-1-86468f7b78");
    expect(tokenAccountName("eu-1", "door")).toBe("clusternet.door.eu-1");
    expect(tokenAccountName("eu-1")).toBe("clusternet.eu-1");
    expect(agentAccountName(id)).toBe(`clusternet-agent.${id}`);
    expect(requestRoleName("fleet", "eu-1")).toBe("rollcall-clusternet.fleet.eu-1");
  });

  it("makes a namespace of at most 63 characters, another one for each workspace", () => {
    const name = "x".repeat(30);
    expect(dedicatedNamespaceName("w".repeat(63), name).length).toBeLessThanOrEqual(63);
    expect(dedicatedNamespaceName("a", name)).not.toBe(dedicatedNamespaceName("b", name));
  });

  it.each([
    { text: id, isId: true },
    { text: id.toUpperCase(), isId: true },
    { text: `x${id}`, isId: false },
    { text: `${id}\n`, isId: false },
    { text: "", isId: false },
  ])("knows an id: $text", ({ text, isId }) => {
    expect(isClusterId(text)).toBe(isId);
  });

  it.each([
    { text: "eu-1", isName: true },
    { text: "x".repeat(30), isName: true },
    { text: "x".repeat(31), isName: false },
    { text: "eu.1", isName: false },
    { text: "-eu", isName: false },
    { text: "Eu", isName: false },
    { text: "", isName: false },
  ])("knows a name: $text", ({ text, isName }) => {
    expect(isClusternetName(text)).toBe(isName);
  });
});

describe("what an agent is configured with", () => {
  const door = { workspace: "fleet", clusterName: "eu-1", tokenName: "door" };

  it("is in values of Clusternet's chart", () => {
    expect(renderTokenValues({ ...door, token: "a.b.c", url: "https://hub.example.com:6443" })).toBe(
      [
        'parentURL: "https://hub.example.com:6443"',
        'registrationToken: "a.b.c"',
        "extraArgs:",
        '  cluster-reg-name: "eu-1"',
        '  cluster-labels: "rollcall.dev/workspace=fleet,rollcall.dev/token=door"',
        "",
      ].join("\n"),
    );
  });

  it("can be read from the flags again", () => {
    const labels = { env: "dev", empty: "" };
    expect(readTokenFlags(tokenFlags({ ...door, labels }))).toEqual({ ...door, labels });
    expect(readTokenFlags(tokenFlags({ workspace: "fleet", clusterName: "eu-1" }))).toEqual({
      workspace: "fleet",
      clusterName: "eu-1",
      labels: {},
    });
    expect(readTokenFlags({ "cluster-reg-name": "eu-1" })).toBeUndefined();
    expect(readTokenFlags({ "cluster-labels": "rollcall.dev/workspace=fleet" })).toBeUndefined();
  });
});
