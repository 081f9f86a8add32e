import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitForRun } from "../../../src/cli/commands/wait-for-run.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { InstalledHub } from "../../support/installed-hub.ts";
import { startInstalledHub } from "../../support/installed-hub.ts";

const [first, second, third] = ["2026-01-01T00:00:02.000Z", "2026-01-01T00:00:01.000Z", "2026-01-01T00:00:03.000Z"];

describe("waitForRun", () => {
  let hub: InstalledHub | undefined;
  let api: KubeApi;
  beforeAll(async () => {
    hub = await startInstalledHub("prod");
    api = hub.api;
  });
  afterAll(async () => {
    await hub?.stop();
  });

  const declare = async (name: string) => {
    const ref = { type: resourceTypes.repository, namespace: "prod", name };
    const object: KubeObject = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { namespace: "prod", name },
      ...{ spec: { url: "https://forge.example/fleet.git" } },
    };
    await api.create(object, { fieldManager: "test" });
    return ref;
  };
  const writeStatus = (ref: Awaited<ReturnType<typeof declare>>, status: object) =>
    api.mergePatch(ref, { status } as never, { fieldManager: "test", subresource: "status" });

  it.each([
    { handled: "its own request", requests: [first], last: first, isEnded: true },
    // The clock of the other person may be behind.
    {
      handled: "the request of another person that replaced it",
      requests: [first, second],
      last: second,
      isEnded: true,
    },
    { handled: "the one before it", requests: [first], last: third, isEnded: false },
  ])("ends with a run that handled $handled: $isEnded", async ({ requests, last, isEnded }) => {
    const name = `fleet-${requests.length}-${isEnded ? "ended" : "open"}`;
    const ref = await declare(name);
    const ask = (request: string) =>
      api.mergePatch(
        ref,
        { metadata: { annotations: { [annotationKeys.requestedAt]: request } } },
        { fieldManager: "test" },
      );
    await ask(first);
    const { signal } = new AbortController();
    let commits = 0;
    const waiting = waitForRun(api, ref, {
      ...{ request: first, timeout: "2s", timeoutMs: isEnded ? 60_000 : 2000, signal },
      onCommit: () => (commits += 1),
    }).then(
      () => true,
      (error: unknown) => error,
    );
    // The wait has begun when it shows a commit.
    for (let round = 0; commits === 0; round += 1)
      await writeStatus(ref, { observedCommit: String(round).padStart(40, "0") });
    for (const request of requests.slice(1)) await ask(request);
    await writeStatus(ref, { lastHandledRequest: last });
    const outcome = await waiting;
    if (isEnded) expect(outcome).toBe(true);
    else expect(outcome).toMatchObject({ code: "E_WAIT_TIMEOUT" });
  });

  it("ends with a reason when the Repository is deleted meanwhile, and when it is stopped", async () => {
    const ref = await declare("deleted");
    const wait = (signal: AbortSignal, onCommit: () => void) =>
      waitForRun(api, ref, { request: first, timeout: "60s", timeoutMs: 60_000, signal, onCommit });
    const stopping = new AbortController();
    const stopped = wait(stopping.signal, () => stopping.abort(new Error("stopped by the test")));
    const deleted = wait(new AbortController().signal, () => void api.delete(ref));
    const outcome = Promise.allSettled([stopped, deleted]);
    // The wait has begun when it shows a commit.
    for (let round = 0; (await api.get(ref)) !== undefined; round += 1)
      await writeStatus(ref, { observedCommit: String(round).padStart(40, "0") }).catch(() => undefined);
    const [ofStopped, ofDeleted] = await outcome;
    expect(ofStopped).toMatchObject({ reason: { message: "stopped by the test" } });
    expect(ofDeleted).toMatchObject({
      reason: { code: "E_KUBE_NOT_FOUND", message: "Repository/prod/deleted was deleted" },
    });
  });
});
