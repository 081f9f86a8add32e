import { describe, expect, it } from "vitest";
import type { AgentDependencies, HubTarget } from "../../../src/agent/agent-dependencies.ts";
import type { AgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { HubLink } from "../../../src/agent/hub-link.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";

/** An agent whose credential and addresses the test replaces, and the connections that are open. */
function open() {
  const state = { token: "one", url: "https://hub.example" };
  const secrets = {
    get identity() {
      return {
        endpoints: [{ url: state.url, caBundle: "" }],
        membership: { credential: { token: state.token, number: 1 }, recoveryToken: "recovery" },
      };
    },
  } as unknown as AgentSecrets;
  const connected = new Set<string>();
  const connectHub = ({ url, token }: HubTarget) => {
    const name = `${token} at ${url}`;
    connected.add(name);
    return { close: async () => void connected.delete(name) } as unknown as KubeApi;
  };
  const link = new HubLink({ connectHub } as unknown as AgentDependencies, secrets);
  return { state, link, connected };
}

describe("the connections of an agent to its hub", () => {
  it("are one for each credential, and stay while address and token do", () => {
    const { link, connected } = open();
    const [working, recovery] = [link.api(), link.api("recovery")];
    expect([link.api(), link.api("recovery")]).toEqual([working, recovery]);
    expect([...connected]).toEqual(["one at https://hub.example", "recovery at https://hub.example"]);
  });

  it.each([
    { what: "credential", change: { token: "two" }, now: "two at https://hub.example" },
    { what: "address", change: { url: "https://moved.example" }, now: "one at https://moved.example" },
  ])("are closed when the $what is replaced, and their followers are notified", ({ change, now }) => {
    const { state, link, connected } = open();
    link.api();
    let changes = 0;
    link.onChange(() => (changes += 1));
    Object.assign(state, change);
    link.api();
    expect([[...connected], changes]).toEqual([[now], 1]);
  });

  it("are all closed with the agent", async () => {
    const { link, connected } = open();
    link.api();
    link.api("recovery");
    await link.close();
    expect(connected.size).toBe(0);
  });
});
