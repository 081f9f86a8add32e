import { expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { askLeader } from "../../../src/daemon/ask-leader.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const fleet = { metadata: { namespace: "system", name: "fleet" }, spec: {} } as Repository;

/** Requests for runs of a Repository, and what was written. */
function open({ isDeleted = false, failures = 0 }: { isDeleted?: boolean; failures?: number }) {
  const clock = createManualClock();
  const written: unknown[] = [];
  let left = failures;
  const mergePatch: KubeApi["mergePatch"] = async ({ namespace, name }, patch) => {
    if (left-- > 0) throw new Error("the hub is away");
    written.push([namespace, name, patch]);
    return fleet;
  };
  const hubApi = { mergePatch } as unknown as KubeApi;
  const random = { next: () => 0.5 } as never;
  const requests = askLeader({
    hubApi,
    source: { read: () => (isDeleted ? undefined : fleet) },
    clock,
    random,
    log: silentLog,
  });
  return { requests, written, clock };
}

const request = (time: string) => [
  "system",
  "fleet",
  { metadata: { annotations: { "rollcall.dev/requested-at": time } } },
];

it("asks at once, and for what comes within a second once more", async () => {
  const { requests, written, clock } = open({});
  for (let time = 0; time < 5; time += 1) requests.add();
  expect(written).toEqual([request("2027-01-15T08:00:00.000Z")]);
  for (let time = 0; time < 5; time += 1) requests.add();
  await clock.advance(999);
  expect(written).toHaveLength(1);
  await clock.advance(1);
  expect(written.slice(1)).toEqual([request("2027-01-15T08:00:01.000Z")]);
  await clock.advance(60_000);
  expect(written).toHaveLength(2);
  await requests.stop();
});

it("asks again after the hub was away", async () => {
  const { requests, written, clock } = open({ failures: 2 });
  requests.add();
  await clock.advance(60_000);
  expect(written).toHaveLength(1);
  await requests.stop();
});

it("asks for nothing of a Repository that was deleted", async () => {
  const { requests, written, clock } = open({ isDeleted: true });
  requests.add();
  await clock.advance(60_000);
  expect(written).toEqual([]);
  await requests.stop();
});
