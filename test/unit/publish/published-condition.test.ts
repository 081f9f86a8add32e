import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { PublishedState } from "../../../src/publish/published-condition.ts";
import { publishedResult } from "../../../src/publish/published-condition.ts";
import type { Retirement } from "../../../src/publish/retire-secret.ts";

const nothing: PublishedState = { published: [], taken: [], retiring: [], isClusterApis: false, unselects: false };
const one = ["Secret/argocd/eu-1"];

function retirement(users: readonly string[] | undefined): Retirement {
  const ref = { type: resourceTypes.secret, namespace: "argocd", name: "eu-1" };
  return {
    ref,
    ...(users === undefined ? {} : { users }),
    deadlineMs: Date.parse("2026-01-02T00:00:00Z"),
  } as Retirement;
}

describe("what a Cluster reports of its published Secrets", () => {
  it.each<[string, Partial<PublishedState>, string | undefined, string]>([
    ["nothing is published", {}, undefined, ""],
    ["they are there", { published: one }, "Published", "Secret/argocd/eu-1."],
    ["a removal takes labels first", { published: one, unselects: true }, "Published", "first takes the file's labels"],
    ["another program has the name", { published: one, taken: ["Secret/a/b"] }, "PublishedNameTaken", "Secret/a/b"],
    ["the kubeconfig is of Cluster API", { isClusterApis: true }, "KubeconfigOfClusterApi", "it is not published."],
    [
      "the kubeconfig is of Cluster API now",
      { published: one, isClusterApis: true },
      "KubeconfigOfClusterApi",
      "Secret/argocd/eu-1 stays as it is",
    ],
    ["the kubeconfig is refused", { refusal: "it has no user" }, "KubeconfigRefused", "Not published: it has no user."],
    ["one is in use", { taken: one, retiring: [retirement(["App/x"])] }, "PublishedInUse", "It is used by App/x."],
    [
      "its users are not known",
      { retiring: [retirement(undefined)] },
      "PublishedUntilTimeout",
      "may not see what uses",
    ],
    [
      "it has many users",
      { retiring: [retirement(["1", "2", "3", "4", "5", "6", "7"])] },
      "PublishedInUse",
      "1, 2, 3, 4, 5 and 2 more.",
    ],
  ])("%s", (_reason, state, expected, text) => {
    const result = publishedResult({ ...nothing, ...state });
    expect(result?.reason).toBe(expected);
    expect(result?.message ?? "").toContain(text);
    if (result !== undefined) expect(result.status).toBe(expected === "Published" ? "True" : "False");
  });
});
