import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { deletePod } from "../../../src/embedded-node/delete-pod.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { realRandom } from "../../support/real-time.ts";

/** Deletes a Pod at an API server that answers so; each failure by its code. */
async function deletesAt(answers: readonly ("E_KUBE_UNREACHABLE" | "E_KUBE_CONFLICT" | "deleted")[], forMs: number) {
  const clock = createManualClock();
  const left = [...answers];
  let asked = 0;
  const stop = new AbortController();
  const api = {
    delete: () => {
      asked += 1;
      const answer = left.shift() ?? "deleted";
      return answer === "deleted" ? Promise.resolve() : Promise.reject(new AppError(answer, "no"));
    },
  } as unknown as KubeApi;
  const environment = { api, clock, random: realRandom, log: silentLog };
  let isDone = false;
  const deleting = deletePod({ name: "p", namespace: "n", uid: "u" }, environment, stop.signal).then(() => {
    isDone = true;
  });
  await clock.advance(forMs);
  const result = { asked, isDone };
  stop.abort();
  await deleting;
  return result;
}

it("deletes a Pod once the API server answers again", async () => {
  expect(await deletesAt(["E_KUBE_UNREACHABLE", "E_KUBE_UNREACHABLE", "deleted"], 10_000)).toEqual({
    asked: 3,
    isDone: true,
  });
});

it("deletes no Pod that has the name of another one by now", async () => {
  expect(await deletesAt(["E_KUBE_CONFLICT"], 10_000)).toEqual({ asked: 1, isDone: true });
});

it("ends with the node", async () => {
  expect(
    (
      await deletesAt(
        Array.from({ length: 99 }, () => "E_KUBE_UNREACHABLE" as const),
        1000,
      )
    ).isDone,
  ).toBe(false);
});
