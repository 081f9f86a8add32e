import { describe, expect, it } from "vitest";
import { readAgentValues } from "../../../../src/join/rollcall/agent-values.ts";
import { readValuesText } from "../../../../src/join/rollcall/downstream/values.ts";

const digest = `sha256:${"a".repeat(64)}`;
const proofKey = Buffer.alloc(32, 1).toString("base64");
const hub = { url: "https://hub", caBundle: "ca", id: digest };
const token = { name: "edge", credential: "opaque", proofKey };
const values = { hub, workspace: "fleet", token };

describe("readAgentValues: what an agent is installed with", () => {
  it("is read, and what it does not ask to be is left out", () => {
    expect(readAgentValues(values)).toEqual({ ...values, cluster: {} });
    const cluster = { name: "eu-1", clientID: "c", labels: { env: "dev" } };
    expect(readAgentValues({ ...values, cluster })).toEqual({ ...values, cluster });
    expect(readAgentValues({ ...values, cluster: { name: "", clientID: "", labels: {} } })).toMatchObject({
      cluster: {},
    });
    const keyed = { ...hub, trustKey: digest, trustKeyNumber: 1 };
    expect(readAgentValues({ ...values, hub: keyed })).toMatchObject({ hub: keyed });
  });

  it("needs no CA: the hub may have a certificate that everybody trusts", () => {
    expect(readAgentValues({ ...values, hub: { ...hub, caBundle: undefined } })).toMatchObject({
      hub: { caBundle: "" },
    });
  });

  it.each<[string, object]>([
    ["hub.url is plain http", { hub: { ...hub, url: "http://hub" } }],
    ["hub.url is missing", { hub: { ...hub, url: "hub" } }],
    ["hub.url is missing", { hub: { ...hub, url: undefined } }],
    ["hub.id is missing", { hub: { ...hub, id: "a".repeat(64) } }],
    ["hub.id is missing", { hub: { ...hub, id: `${digest}a` } }],
    ["hub.id is missing", { hub: { ...hub, id: `x${digest}` } }],
    ["hub.trustKey is missing", { hub: { ...hub, trustKey: "sha256:1" } }],
    ["hub.trustKeyNumber is missing", { hub: { ...hub, trustKeyNumber: 0 } }],
    ["hub.trustKeyNumber is missing", { hub: { ...hub, trustKeyNumber: 1.5 } }],
    ["workspace is missing", { workspace: "" }],
    ["token.name is missing", { token: { ...token, name: "" } }],
    ["token.credential is missing", { token: { ...token, credential: undefined } }],
    ["token.proofKey is missing", { token: { ...token, proofKey: Buffer.alloc(31).toString("base64") } }],
    ["token.proofKey is missing", { token: { ...token, proofKey: undefined } }],
  ])("reports that %s, and repeats no value", (lack, changes) => {
    const found = readAgentValues({ ...values, ...changes });
    expect("lack" in found ? found.lack : "nothing").toContain(lack);
  });
});

describe("readValuesText: the Secret of an agent", () => {
  it.each([
    [undefined, "none"],
    ["", "none"],
    [" \n", "none"],
    ["{", "incomplete"],
    ["{}", "incomplete"],
    [JSON.stringify(values), "values"],
  ])("of %j: %s", (text, kind) => {
    expect(readValuesText(text).kind).toBe(kind);
  });
});
