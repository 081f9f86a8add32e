import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startInMemory } from "./running-reconciler.ts";

const file = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: fleet}\n";
const onHubObjects: Repository["spec"]["onHubObjects"] = [{ policy: "Ignore", deletions: "Commit" }];

/** A reconciler of which a Cluster was deleted on the hub just now. Its repository takes no commit. */
async function startWithDeletion() {
  let calls = 0;
  const started = await startInMemory({ onHubObjects }, {}, () => {
    calls += 1;
    return calls > 20 ? Promise.reject(new AppError("E_BUG", "it is read without a pause")) : Promise.resolve();
  });
  started.git.commit({ "a.yaml": file }, "Add\n");
  started.reconciler.enqueue();
  await started.nextRun([1]);
  const [before] = started.hub.objects(resourceTypes.cluster);
  started.change(resourceTypes.cluster, { before }, { isDeletionSeen: true });
  expect(await started.nextRun([19, 20])).toBe("read after 20 ms");
  return started;
}

it("A116 reads when a deletion on the hub is due, and again ten seconds later while git does not take it", async () => {
  const { warnings, nextRun, reconciler } = await startWithDeletion();
  expect(await nextRun([9979, 9980])).toBe("read after 9980 ms");
  expect(warnings.map(({ message }) => message)).toContain("writing changes of the hub to git failed");
  expect(await nextRun([9999, 10_000])).toBe("read after 10000 ms");
  expect(reconciler.queueCounts().failed).toBe(0);
  await reconciler.stop();
});

it.each<[string, Partial<Repository["spec"]>, string]>([
  ["A116 does not run without a pause when the Repository is suspended before that", { suspend: true }, "none"],
  [
    "A116 does not run without a pause when its policy is removed before that",
    { onHubObjects: [] },
    "read after 10000 ms",
  ],
])("%s", async (_reason, spec, expected) => {
  const { hub, nextRun, reconciler } = await startWithDeletion();
  const [repository] = hub.objects(resourceTypes.repository);
  if (repository) hub.put({ ...repository, spec: { ...(repository["spec"] as object), ...spec } });
  await nextRun([9980]);
  const { done } = reconciler.queueCounts();
  expect(await nextRun([9999, 10_000])).toBe(expected);
  expect(reconciler.queueCounts()).toMatchObject({ done: done + 1, failed: 0 });
  await reconciler.stop();
});

it("reads at once what is still due after a run that only reported", async () => {
  const started = await startInMemory({ onHubObjects });
  started.git.commit({ "a.yaml": file }, "Add\n");
  started.reconciler.enqueue();
  await started.nextRun([1]);
  const [object] = started.hub.objects(resourceTypes.cluster);
  // A deletion of what git need not revert begins no run.
  started.change(resourceTypes.cluster, { before: object }, { isDeletionSeen: true, isPlanned: true });
  expect(await started.nextRun([15_000])).toBe("none");
  const beating = object && { ...object, status: { lastHeartbeatTime: "2026-01-01T00:00:00Z" } };
  started.change(resourceTypes.cluster, { before: object, object: beating });
  expect(await started.nextRun([1000])).toBe("read after 1000 ms");
  await started.reconciler.stop();
});
