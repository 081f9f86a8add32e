import { expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { requestRun } from "../../../src/operations/operations.ts";
import { realClock } from "../../../src/system/real-clock.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { openDaemonSession } from "./daemon-session.ts";

const cluster = JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "a" } });

it("writes a status branch that a person deleted anew when a run is asked for, though nothing else changed", async () => {
  const session = await openDaemonSession(await readyHub());
  try {
    const { repository, namespace } = session;
    await repository.commit({ files: { "a.yaml": cluster } });
    await session.startDaemon({ spec: { writeBack: { interval: "0s" } } });
    await session.settle();
    await session.whenIdle();
    const files = await repository.git("ls-tree", "-r", "--name-only", "rollcall/status");
    await repository.git("update-ref", "-d", "refs/heads/rollcall/status");
    const operator = {
      hubApi: session.api,
      user: "test",
      nowMs: realClock.nowMs(),
      signal: new AbortController().signal,
    };
    await requestRun(operator, { type: resourceTypes.repository, namespace, name: "fleet" });
    await until(
      () => repository.head("rollcall/status"),
      (head) => head !== undefined,
    );
    expect(await repository.git("ls-tree", "-r", "--name-only", "rollcall/status")).toBe(files);
  } finally {
    await session.close();
  }
});
