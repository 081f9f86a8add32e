import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { takeReadmission } from "../../../src/agent/take-readmission.ts";
import { silentLog } from "../../../src/core/log.ts";

const publicKey = generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" }).toString("base64");
const identity = {
  keys: { signing: { public: publicKey } },
  epoch: 1,
  membership: { clusterName: "rome", recoveryToken: "old" },
};

interface Published {
  /** Whether the hub has published anything under the name. */
  readonly isThere: boolean;
  /** The recovery token that the agent has after it was read. */
  readonly token?: string;
}

/** An agent that reads what a restored hub has published for it. */
async function look(held: object | undefined, { isThere, token = "old" }: Published) {
  const read: string[] = [];
  let recoveries = 0;
  const secrets = {
    identity: held,
    changeIdentity: () => Promise.resolve({}),
  };
  const context = {
    log: silentLog,
    secrets,
    link: {
      readPublic: (name: string) => {
        read.push(name);
        if (!isThere) return Promise.resolve(false);
        secrets.identity = { ...identity, membership: { ...identity.membership, recoveryToken: token } };
        return Promise.resolve(true);
      },
      recordRecovery: () => void (recoveries += 1),
    },
  } as unknown as AgentContext;
  return { isTaken: await takeReadmission(context, new AbortController().signal), read: read.length, recoveries };
}

describe("takeReadmission", () => {
  it("takes a recovery credential that the agent did not have", async () => {
    expect(await look(identity, { isThere: true, token: "new" })).toEqual({ isTaken: true, read: 2, recoveries: 1 });
  });

  it.each<{ reason: string; published: Published }>([
    { reason: "nothing is published", published: { isThere: false } },
    { reason: "what is published is what the agent has", published: { isThere: true, token: "old" } },
  ])("takes none where $reason", async ({ published }) => {
    expect(await look(identity, published)).toEqual({ isTaken: false, read: 2, recoveries: 0 });
  });

  it("asks nothing for an agent without an identity", async () => {
    expect(await look(undefined, { isThere: true, token: "new" })).toEqual({ isTaken: false, read: 0, recoveries: 0 });
  });
});
