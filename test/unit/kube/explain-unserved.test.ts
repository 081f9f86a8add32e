import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { explainUnserved } from "../../../src/kube/explain-unserved.ts";
import { errorOfAnswer } from "../../../src/kube/kube-errors.ts";

const answer = { status: 404, contentType: "text/plain", retryAfter: undefined, text: "404 page not found\n" };

describe("explainUnserved", () => {
  it("names a kind that the server does not have, and both causes", () => {
    const error = errorOfAnswer(answer, { verb: "list", object: "Cluster" });
    expect(explainUnserved(error)).toMatchObject({
      code: "E_KUBE_NOT_FOUND",
      message: "list Cluster: the server does not have this kind of object",
      recovery: error.recovery,
      data: error.data,
      remedy: expect.stringContaining("If it is not, name the kubeconfig of the hub.") as string,
    });
  });

  it.each([
    ["a path", errorOfAnswer(answer, { verb: "get", object: "/metrics" })],
    ["another text", errorOfAnswer({ ...answer, text: "no such page" }, { verb: "get", object: "Cluster/a/b" })],
    ["another code", new AppError("E_KUBE_SERVER", "get Cluster: answered 404: 404 page not found")],
    ["no error of the program", new Error("answered 404: 404 page not found")],
  ])("leaves the error of %s as it is", (_what, error) => {
    expect(explainUnserved(error)).toBe(error);
  });
});
