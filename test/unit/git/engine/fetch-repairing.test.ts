import { expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { fetchRepairing } from "../../../../src/git/engine/fetch-repairing.ts";

const corrupt = new AppError("E_GIT_CORRUPT", "read object a of the local copy: it is damaged");
const remote = new AppError("E_GIT_REMOTE", "reach the server: no answer");

it.each([
  ["nothing fails", [], "fetched", 0, 1],
  ["the copy is damaged", [corrupt], "fetched", 1, 2],
  ["the copy is damaged again", [corrupt, corrupt], corrupt, 1, 2],
  ["the server fails", [remote], remote, 0, 1],
  ["the server fails after a repair", [corrupt, remote], remote, 1, 2],
])("fetches once more after a repair, where %s", async (...[, failures, outcome, repairs, fetches]) => {
  let [fetched, repaired] = [0, 0];
  const fetch = (): Promise<string> => {
    const failure = failures[fetched++];
    return failure === undefined ? Promise.resolve("fetched") : Promise.reject(failure);
  };
  const result = await fetchRepairing(fetch, () => (repaired += 1)).catch((error: unknown) => error);
  expect([result, repaired, fetched]).toEqual([outcome, repairs, fetches]);
});
