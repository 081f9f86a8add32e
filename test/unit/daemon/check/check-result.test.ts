import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { check } from "../../../../src/daemon/check/check-result.ts";
import { wrapError } from "../../../../src/kube/kube-errors.ts";

describe("check", () => {
  const failed = (error: Error) => check("hub", new AbortController().signal, () => Promise.reject(error));

  it("names the remedy of a failure: that of the error itself, else that of its code", async () => {
    const old = new AppError("E_UNSUPPORTED", "the hub is too old", { remedy: "Upgrade the hub." });
    expect(await failed(old)).toEqual({
      name: "hub",
      state: "failed",
      message: "E_UNSUPPORTED: the hub is too old",
      remedy: "Upgrade the hub.",
    });
    expect(await failed(new AppError("E_FORGE_SERVER", "x"))).toMatchObject({
      remedy: expect.stringMatching(/^Try again later/u) as string,
    });
    expect(await failed(new Error("x"))).not.toHaveProperty("remedy");
  });

  it("keeps the remedy of the error where a request is named before it", async () => {
    const plugin = new AppError("E_KUBECONFIG", "the credential plugin failed", { remedy: "Try kubectl." });
    const wrapped = wrapError(plugin, { verb: "list", object: "clusters" }) as Error;
    expect(await failed(wrapped)).toMatchObject({ remedy: "Try kubectl." });
  });
});
