import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { tokenAccess } from "../../../../src/web/dashboard/access.ts";
import type { SeenResource } from "../../../../src/web/dashboard/access.ts";
import { apiRoutes } from "../../../../src/web/dashboard/api-routes.ts";
import type { DashboardOptions, FleetReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import type { WebAnswer } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

/** What becomes of the viewer while an answer is made. */
interface Rights {
  token: boolean;
  repository: boolean;
  one: boolean;
  two: boolean;
  hubAnswers: boolean;
}

const shown = "SHOWN";

/** The page asks for something that takes a minute to make; `meanwhile` changes what its viewer may see. */
async function askSlowly(path: string, meanwhile: Partial<Rights>): Promise<string> {
  const clock = createManualClock();
  const rights: Rights = { token: true, repository: true, one: true, two: true, hubAnswers: true };
  const access = tokenAccess({
    clock,
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one", "two"],
    reviewToken: async () => {
      if (!rights.hubAnswers) throw new AppError("E_KUBE_UNREACHABLE", "no answer");
      return rights.token ? { username: "eve", groups: [] } : undefined;
    },
    isAllowed: async (_user, { resource, namespace }: SeenResource) =>
      resource === "repositories"
        ? rights.repository
        : namespace === "one"
          ? rights.one
          : namespace === "two" && rights.two,
  });
  const slow = async (): Promise<object> => {
    Object.assign(rights, meanwhile);
    await clock.advance(60_000);
    return { found: shown };
  };
  const reader = { plan: slow, clusterDetail: slow } as unknown as FleetReader;
  const options = { reader, access, clock, feed: { cursor: () => "1" }, events: {} };
  const routes = apiRoutes(options as unknown as Parameters<typeof apiRoutes>[0] & DashboardOptions);
  const route = routes.find((one) => path.startsWith(one.path) && one.path !== "/api/v1/clusters");
  const answer = (await route?.answer({
    path,
    query: new URLSearchParams({ branch: "main" }),
    headers: { authorization: "Bearer t" },
    remoteAddress: "10.0.0.1",
    readBody: async () => new Uint8Array(),
  })) as WebAnswer;
  return `${answer.status ?? 200} ${String(answer.body)}`;
}

describe.each(["/api/v1/plan", "/api/v1/clusters/one/eu-1"])("an answer that takes long to make, at %s", (path) => {
  it.each<readonly [string, Partial<Rights>, RegExp]>([
    ["A273 is not given to a viewer whose token has ended meanwhile", { token: false }, /^401 /u],
    [
      "A273 is not given to a viewer who may see nothing any more",
      { one: false, two: false, repository: false },
      /^403 /u,
    ],
    ["A273 is not given to a viewer who sees less than before", { one: false }, /^503 .*rights changed/u],
    ["is given to a viewer who sees the same", {}, /^200 .*SHOWN/u],
    ["is given while the hub cannot be asked", { hubAnswers: false }, /^200 .*SHOWN/u],
  ])("%s", async (_, meanwhile, answer) => {
    expect(await askSlowly(path, meanwhile)).toMatch(answer);
  });
});
