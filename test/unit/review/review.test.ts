import { describe, expect, it } from "vitest";
import { verifyRange } from "../../../src/git/signing/verify-range.ts";
import { isVouchedForm } from "../../../src/git/signing/vouched-form.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { filesInForce } from "../../../src/review/read-source.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryHub } from "../reconcile/removals/memory-hub.ts";
import { ed25519Signer, signersOf } from "../signatures/signature-builders.ts";

const cluster = (displayName: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: eu-1, namespace: fleet}\nspec: {displayName: ${displayName}}\n`;
const bad = "kind: [yaml";

/** The planner of a Repository that asks for signatures. */
function world() {
  const signer = ed25519Signer();
  const git = createMemoryGit();
  const signed = new Set<string>();
  const engine = {
    ...git,
    readSignature: (id: string) => Promise.resolve(signed.has(id) ? signer.sign() : undefined),
  };
  const context = { policy: { rules: [{}] }, signers: signersOf(signer.line), atMs: 0 };
  const planner = createRepositoryPlanner({
    git: engine,
    source: sourceOptions(() => undefined),
    checkFleet: fleetChecker("system"),
    observed: createMemoryHub().openView(),
    rememberedLabels: () => undefined,
    openVerifier: () =>
      Promise.resolve({
        verify: async (range) => ({ ...(await verifyRange(engine, { ...range, ...context })), reason: "" }),
        isSigned: (id) => Promise.resolve(signed.has(id)),
        isVouched: (commit, path) => isVouchedForm(engine, { commit, path, ...context }),
      }),
    nowMs: () => 0,
  });
  return {
    commit: (text: string): string => git.commit({ "eu-1.yaml": text }, "change"),
    sign: (text: string): string => {
      const id = git.commit({ "eu-1.yaml": text }, "signed");
      signed.add(id);
      return id;
    },
    /** What is in force of a head, after these commits were verified and applied. */
    inForce: async (head: string, status: NonNullable<Repository["status"]>) => {
      const repository = repositoryWith(status);
      const verified = await planner.findVerified(repository, head);
      const snapshot = await planner.read(repository, verified.commit ?? "");
      const names = filesInForce(snapshot).flatMap(({ documents }) => documents.map(({ object }) => object["spec"]));
      return { commit: verified.commit, names };
    },
    /** What would be declared after a merge into a commit that was applied. */
    declaredAfterMerge: async (applied: string, head: string) => {
      const repository = repositoryWith({ appliedCommit: applied });
      const main = await planner.read(repository, applied);
      const { fleet } = await planner.planMerge(repository, { main, head });
      return fleet.clusters.map(({ object }) => object.spec?.displayName);
    },
  };
}

/** It asks for signatures. */
function repositoryWith(status: NonNullable<Repository["status"]>): Repository {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system" },
    spec: { url: "memory", verify: { keysSecretRef: { name: "signers" } } },
    status,
  };
}

describe("A31 a file with errors in a verified commit", () => {
  it("has no version in force that only an unsigned commit had", async () => {
    const { commit, sign, inForce } = world();
    const applied = sign(cluster("signed"));
    const verifiedCommit = sign(bad);
    commit(cluster("stranger"));
    const head = commit(bad);
    const found = await inForce(head, { appliedCommit: applied, verifiedCommit });
    expect(found).toEqual({ commit: head, names: [{ displayName: "signed" }] });
    expect(await inForce(head, { appliedCommit: applied, verifiedCommit: head })).toEqual(found);
  });

  it("keeps the newest version that a signed commit had, or that was applied", async () => {
    const { commit, sign, inForce } = world();
    const applied = commit(cluster("applied"));
    const first = sign(bad);
    expect(await inForce(first, { appliedCommit: applied })).toMatchObject({ names: [{ displayName: "applied" }] });
    sign(cluster("newer"));
    const head = sign(bad);
    expect(await inForce(head, { appliedCommit: applied })).toMatchObject({ names: [{ displayName: "newer" }] });
  });

  it("has no such version in the plan of a branch either", async () => {
    const { commit, sign, declaredAfterMerge } = world();
    const applied = sign(cluster("signed"));
    commit(cluster("stranger"));
    expect(await declaredAfterMerge(applied, commit(bad))).toEqual(["signed"]);
  });
});
