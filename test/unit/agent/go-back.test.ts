import { describe, expect, it } from "vitest";
import { goBack } from "../../../src/agent/go-back.ts";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";

const membershipAs = (clusterName: string) => ({ clusterName, recoveryToken: `recovery-of-${clusterName}` });
const moved = { workspace: "west", membership: membershipAs("rome") };
const before = { workspace: "east", membership: membershipAs("nice") };

/** An agent whose credential as rome was refused, and a hub that answers the one of before with `refusal`, or accepts it. */
async function refused(identity: object | undefined, refusal?: Error) {
  const asked: string[] = [];
  const secrets = {
    identity: identity as AgentIdentity | undefined,
    changeIdentity: (change: (held: AgentIdentity | undefined) => AgentIdentity) =>
      Promise.resolve((secrets.identity = change(secrets.identity))),
  };
  const link = {
    bootstrap: (_: AgentIdentity, token: string) => ({
      api: {
        get: ({ namespace, name }: ObjectRef) => {
          asked.push(`${token} ${namespace}/${name}`);
          return refusal === undefined ? Promise.resolve(undefined) : Promise.reject(refusal);
        },
      },
      close: () => Promise.resolve(asked.push("closed")),
    }),
  };
  const context = { secrets, link, log: silentLog } as unknown as AgentContext;
  const isBack = await goBack(context, new AbortController().signal).catch((error: unknown) => error);
  return { isBack, identity: secrets.identity, asked };
}

describe("goBack", () => {
  it("restores what the cluster was where the hub accepts its credential", async () => {
    const { isBack, identity, asked } = await refused({ ...moved, former: before });
    expect([isBack, identity]).toEqual([true, before]);
    expect(asked).toEqual(["recovery-of-nice east/nice", "closed"]);
  });

  it.each(["E_KUBE_UNAUTHORIZED", "E_KUBE_FORBIDDEN"] as const)(
    "keeps what the cluster is while the hub refuses every credential (%s)",
    async (code) => {
      const identity = { ...moved, former: before };
      expect(await refused(identity, new AppError(code, "get"))).toMatchObject({ isBack: false, identity });
    },
  );

  it("keeps what the cluster is when the hub does not answer, and leaves no connection", async () => {
    const identity = { ...moved, former: before };
    const error = new AppError("E_KUBE_UNREACHABLE", "get");
    const result = await refused(identity, error);
    expect(result).toMatchObject({ isBack: error, identity });
    expect(result.asked).toContain("closed");
  });

  it("asks nothing where the cluster was nothing before", async () => {
    expect(await refused(moved)).toEqual({ isBack: false, identity: moved, asked: [] });
    expect(await refused(undefined)).toMatchObject({ isBack: false, asked: [] });
  });
});
