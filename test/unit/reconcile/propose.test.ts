import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { repositoryLabelOf } from "../../../src/model/repository-label.ts";
import { propose } from "../../../src/reconcile/propose.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { repository, scopeOf } from "./phase-builders.ts";

const snapshot = { commit: { id: "c" } } as never;
const label = { "rollcall.dev/repository": repositoryLabelOf(repository) };

function token(name: string, approval: string, labels: Record<string, string> = label) {
  return { kind: "ClusterRegistrationToken", metadata: { namespace: "fleet", name, labels }, spec: { approval } };
}

interface Given {
  readonly scope?: Partial<RunScope>;
  readonly pending?: Error | false;
  readonly admitted?: Error;
  readonly unread?: readonly string[];
}

async function run({ scope: fields = { snapshot }, pending, admitted, unread = [] }: Given = {}) {
  const asked: unknown[] = [];
  const tokens = [token("a", "PullRequest"), token("b", "Automatic"), token("c", "PullRequest", {})];
  const scope = scopeOf(fields);
  const ports = {
    view: { list: () => tokens },
    planner: {},
    hubFacts: () => ({ hubId: "hub-1" }),
    clock: { nowMs: () => 0 },
    log: silentLog,
    ...(pending === false ? {} : { pendingProposals: () => [] }),
    proposalBranches: {
      sync: ({ tokens: of }: { tokens: string[] }) => {
        asked.push(of);
        return pending instanceof Error ? Promise.reject(pending) : Promise.resolve({ branches: ["pending"], unread });
      },
    },
    admittedProposer: {
      propose: () => {
        asked.push("admitted");
        return admitted === undefined ? Promise.resolve(["admitted"]) : Promise.reject(admitted);
      },
    },
  };
  await propose(scope, ports as never);
  return { asked, proposed: scope.proposed, error: scope.proposeError };
}

const denied = new Error("denied");

describe("propose", () => {
  it("proposes files of tokens of this Repository that ask for a pull request, then of admitted clusters", async () => {
    const proposed = ["pending", "admitted"];
    expect(await run()).toEqual({ asked: [["fleet/a"], "admitted"], proposed, error: undefined });
  });

  it("reports a file that would not be read, and proposes the others", async () => {
    const { proposed, error } = await run({ unread: ["a.txt", "b.txt"] });
    const message = "propose a.txt: the Repository does not read this path";
    expect([proposed, error]).toMatchObject([["pending", "admitted"], { code: "E_PROPOSAL_UNREAD", message }]);
  });

  it.each<{ reason: string; given: Given; asked: unknown[]; proposed: unknown[]; error?: Error }>([
    { reason: "nothing was read", given: { scope: {} }, asked: [], proposed: [] },
    { reason: "the source has an error", given: { scope: { snapshot, sourceError: denied } }, asked: [], proposed: [] },
    { reason: "no agent can wait for a file", given: { pending: false }, asked: ["admitted"], proposed: ["admitted"] },
    {
      reason: "the first push is refused",
      given: { pending: denied },
      asked: [["fleet/a"]],
      proposed: [],
      error: denied,
    },
    {
      reason: "a later push is refused",
      given: { admitted: denied },
      asked: [["fleet/a"], "admitted"],
      proposed: ["pending"],
      error: denied,
    },
  ])("proposes $proposed when $reason", async ({ given, asked, proposed, error }) => {
    const result = await run(given);
    expect([result.asked, result.proposed ?? [], result.error]).toEqual([asked, proposed, error]);
  });
});
