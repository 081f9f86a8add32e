import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { installPathOf } from "../../../src/model/install-address.ts";
import type { InstallAddress } from "../../../src/model/install-address.ts";
import { installRoute } from "../../../src/web/install-route.ts";
import type { WebRequest } from "../../../src/web/web.ts";

const address: InstallAddress = { workspace: "one", key: "k".repeat(43) };

function open(take: () => Promise<string | undefined>) {
  const route = installRoute(take, silentLog);
  const ask = async (path = installPathOf(address)) => {
    const answer = await route.answer({ path } as WebRequest);
    return "start" in answer ? undefined : (answer.status ?? 200);
  };
  return { route, ask };
}

describe("the address of an installation", () => {
  it("is asked for again and again while the hub does not answer, and served when it does", async () => {
    let isAway = true;
    const { ask } = open(async () => {
      if (isAway) throw new Error("no answer");
      return "manifest";
    });
    for (let asked = 0; asked < 20; asked++) expect(await ask()).toBe(503);
    isAway = false;
    expect(await ask()).toBe(200);
  });

  it("is looked up for eight clients at once, and for others afterwards", async () => {
    const answers: ((manifest: string | undefined) => void)[] = [];
    const { ask } = open(() => new Promise((resolve) => answers.push(resolve)));
    const waiting = Array.from({ length: 8 }, () => ask());
    expect(await ask()).toBe(429);
    for (const answer of answers.splice(0)) answer(undefined);
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 8 }, () => 404));
    const next = ask();
    answers[0]?.("manifest");
    expect(await next).toBe(200);
  });

  it("is not looked up on the hub when it is none", async () => {
    let lookups = 0;
    const { ask } = open(async () => String((lookups += 1)));
    for (const path of ["/install/", "/install/one.yaml", `/install/one.${"k".repeat(500)}.yaml`])
      expect(await ask(path)).toBe(404);
    expect(lookups).toBe(0);
  });

  it("is not used up by a request for its head alone", () => {
    expect(open(async () => "manifest").route.isUsedUp).toBe(true);
  });
});
