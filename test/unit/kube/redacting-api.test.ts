import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { redactingApi, rememberCredentials } from "../../../src/kube/redacting-api.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const secret = "s3cret-of-the-daemon";
const refuse = (): Promise<never> => Promise.reject(new AppError("E_KUBE_FORBIDDEN", `no access with ${secret}`));

/** Every request fails with a text that repeats the credential. */
const failing: KubeApi = {
  server: "https://hub.example",
  requestCounts: new Map(),
  get: refuse,
  list: refuse,
  watch: async function* () {
    await refuse();
  },
  create: refuse,
  update: refuse,
  apply: refuse,
  mergePatch: refuse,
  delete: refuse,
  requestToken: refuse,
  getRaw: refuse,
  close: () => Promise.resolve(),
};
const api = redactingApi(failing, () => [secret]);

const requests = (Object.keys(failing) as (keyof KubeApi)[]).filter(
  (name) => typeof failing[name] === "function" && name !== "close",
);

describe("an error of an API server", () => {
  it.each(requests)("A35 has no credential in it, whatever was asked: %s", async (name) => {
    const ask = async (): Promise<unknown> => {
      if (name !== "watch") return (api[name] as () => Promise<unknown>)();
      for await (const event of api.watch(resourceTypes.node, { resourceVersion: "1" })) expect(event).toBeUndefined();
      return undefined;
    };
    const error: unknown = await ask().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "E_KUBE_FORBIDDEN", message: "no access with ***" });
  });

  it("A35 is redacted in the text of an answer that is shown as it is", async () => {
    const echoing = { ...failing, getRaw: async () => ({ status: 500, text: `token ${secret}` }) };
    expect(await redactingApi(echoing, () => [secret]).getRaw("/readyz")).toEqual({ status: 500, text: "token ***" });
  });
});

describe("rememberCredentials", () => {
  const remember = (tokens: readonly (string | undefined)[]) => {
    const left = [...tokens];
    const getToken = (): Promise<string | undefined> => Promise.resolve(left.shift());
    return rememberCredentials({ getToken, secrets: ["password"] } as unknown as Transport);
  };

  it("A35 knows the four tokens that were sent last, beside what never changes", async () => {
    const { transport, secrets } = remember(["a", undefined, "b", "a", "c", "d", "e"]);
    for (const token of ["a", undefined, "b", "a"]) expect(await transport.getToken?.()).toBe(token);
    expect(secrets()).toEqual(["b", "a", "password"]);
    for (const token of ["c", "d"]) expect(await transport.getToken?.()).toBe(token);
    expect(secrets()).toEqual(["b", "a", "c", "d", "password"]);
    await transport.getToken?.();
    expect(secrets()).toEqual(["a", "c", "d", "e", "password"]);
  });

  it("leaves a transport without a token as it is", () => {
    const transport = { secrets: ["password"] } as unknown as Transport;
    const remembered = rememberCredentials(transport);
    expect([remembered.transport, remembered.secrets()]).toEqual([transport, ["password"]]);
    expect(rememberCredentials({} as unknown as Transport).secrets()).toEqual([]);
  });

  it.each(requests)("is explained, whatever was asked: %s", async (name) => {
    const explained = redactingApi(
      failing,
      () => [],
      (error) => new AppError("E_BUG", `of ${String(error)}`),
    );
    const ask = async (): Promise<unknown> => {
      if (name !== "watch") return (explained[name] as () => Promise<unknown>)();
      for await (const event of explained.watch(resourceTypes.node, { resourceVersion: "1" }))
        expect(event).toBeUndefined();
      return undefined;
    };
    await expect(ask()).rejects.toMatchObject({ code: "E_BUG" });
  });
});
