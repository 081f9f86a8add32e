import { describe, expect, it } from "vitest";
import type { PodSpec } from "../../../src/embedded-node/pod-spec.ts";
import { createPodTokens } from "../../../src/embedded-node/service-account-tokens.ts";
import type { TokenRequest } from "../../../src/kube/kube.ts";
import { createManualClock } from "../../support/manual-clock.ts";

function open() {
  const clock = createManualClock();
  const asked: TokenRequest[] = [];
  const requestToken = async (request: TokenRequest) => {
    asked.push(request);
    const expiresAt = new Date(clock.nowMs() + request.expirationSeconds * 1000).toISOString();
    return { token: `token-${asked.length}`, expiresAt };
  };
  const pod = { namespace: "shop", serviceAccountName: "bot", name: "web", uid: "u" } as PodSpec;
  const tokens = createPodTokens({ requestToken }, pod, { clock, signal: new AbortController().signal });
  const get = async (audience: string, expirationSeconds = 3600) =>
    (await tokens.get({ audience, expirationSeconds })).toString();
  return { asked, clock, get };
}

describe("the tokens of a Pod", () => {
  it("are one for each audience and life, bound to the Pod", async () => {
    const { asked, get } = open();
    expect(await Promise.all([get(""), get("vault"), get("", 600)])).toEqual(["token-1", "token-2", "token-3"]);
    expect([await get(""), await get("vault"), await get("", 600)]).toEqual(["token-1", "token-2", "token-3"]);
    expect(asked.map(({ audiences }) => audiences)).toEqual([undefined, ["vault"], undefined]);
    expect(asked[0]).toMatchObject({ serviceAccount: "bot", boundPod: { name: "web", uid: "u" } });
  });

  it("are renewed after four fifths of their life, each by its own", async () => {
    const { clock, get } = open();
    await get("");
    await get("vault", 600);
    await clock.advance(479_000);
    expect(await get("vault", 600)).toBe("token-2");
    await clock.advance(2_000);
    expect([await get("vault", 600), await get("")]).toEqual(["token-3", "token-1"]);
  });
});
