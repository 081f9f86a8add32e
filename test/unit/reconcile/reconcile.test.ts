import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { startReconciler } from "../../../src/reconcile/reconcile.ts";
import type { ReconcilerOptions } from "../../../src/reconcile/reconciler-options.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

const repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { namespace: "system", name: "fleet" },
  spec: { url: "memory" },
} as unknown as Repository;

function start(fetchHead: GitEngine["fetchHead"], spec: Partial<Repository["spec"]> = {}) {
  const clock = createManualClock();
  const holds = { count: 0 };
  const options = {
    view: createMemoryHub().openView(),
    git: { url: "memory", fetchHead },
    readRepository: () => ({ ...repository, spec: { ...repository.spec, ...spec } }),
    holdMembers: () => {
      holds.count += 1;
      return () => void (holds.count = 0);
    },
    clock,
    random: fixedRandom(0.5),
    log: silentLog,
  } as unknown as ReconcilerOptions;
  return { clock, holds, reconciler: startReconciler(options) };
}

describe("startReconciler", () => {
  it("keeps members back until the first commit is carried out, for ten seconds at most", async () => {
    const { clock, holds, reconciler } = start((_, signal) => untilAborted(signal));
    await clock.advance(9000);
    expect(holds.count).toBe(1);
    await clock.advance(1000);
    expect(holds.count).toBe(0);
    await reconciler.stop();
  });

  it("keeps members back no longer than the first run takes, whatever comes of it", async () => {
    const { clock, holds, reconciler } = start(() => Promise.reject(new Error("the remote is away")));
    expect(holds.count).toBe(1);
    await clock.advance(100);
    expect(holds.count).toBe(0);
    await reconciler.stop();
    const suspended = start(() => Promise.resolve(undefined), { suspend: true });
    await suspended.clock.advance(100);
    expect(suspended.holds.count).toBe(0);
    await suspended.reconciler.stop();
  });

  it("keeps no members back when it is stopped", async () => {
    const { holds, reconciler } = start((_, signal) => untilAborted(signal));
    await reconciler.stop();
    expect(holds.count).toBe(0);
  });
});

function untilAborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(undefined), { once: true }));
}
