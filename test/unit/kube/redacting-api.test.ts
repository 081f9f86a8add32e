import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { redactingApi } from "../../../src/kube/redacting-api.ts";
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
