import { describe, expect, it } from "vitest";
import type { Authenticator } from "../../../../src/embedded-hub/auth/auth.ts";
import { reviewToken } from "../../../../src/embedded-hub/reviews/token-review.ts";

const user = { username: "u", groups: ["g"] };

function reviewOf(spec: object) {
  return { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: { name: "" }, spec };
}

function authenticatorThat(outcome: unknown) {
  const asked: unknown[] = [];
  const review = (...question: unknown[]) => {
    asked.push(question);
    return Promise.resolve(outcome);
  };
  return { asked, authenticator: { reviewToken: review } as unknown as Authenticator };
}

describe("a TokenReview", () => {
  it("answers who a valid token belongs to, for which audiences", async () => {
    const { asked, authenticator } = authenticatorThat({ kind: "accepted", user, audiences: ["a"] });
    const review = reviewOf({ token: "t", audiences: ["a", "b"] });
    expect(await reviewToken(review, authenticator)).toEqual({
      ...review,
      status: { authenticated: true, user, audiences: ["a"] },
    });
    expect(asked).toEqual([["t", ["a", "b"]]]);
  });

  it("answers why another one is refused, and does not call it authenticated", async () => {
    const { authenticator } = authenticatorThat({ kind: "refused", reason: "expired" });
    const { status } = await reviewToken(reviewOf({ token: "t" }), authenticator);
    expect(status).toEqual({ user: {}, error: "expired" });
  });

  it.each([{}, { token: "" }])("is refused without a token: %j", async (spec) => {
    const { asked, authenticator } = authenticatorThat({ kind: "accepted", user, audiences: [] });
    await expect(reviewToken(reviewOf(spec), authenticator)).rejects.toThrow("token is required for TokenReview");
    expect(asked).toEqual([]);
  });
});
