import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { findCondition } from "../../../src/planning/conditions.ts";
import type { RunResult } from "../../../src/reconcile/repository-status.ts";
import { computeRepositoryStatus } from "../../../src/reconcile/repository-status.ts";
import { repository } from "./phase-builders.ts";

describe("the condition WriteBackReady", () => {
  it.each<{ reason: string; result: Partial<RunResult>; expected: object }>([
    {
      reason: "nothing else",
      result: {},
      expected: { status: "True", reason: "Written", message: "What is seen is written back." },
    },
    {
      reason: "old commits that cannot be squashed",
      result: { historyKept: "E_GIT_PUSH_DENIED: no; allow it" },
      expected: {
        status: "True",
        reason: "HistoryKept",
        message: "What is seen is written back; old commits stay: E_GIT_PUSH_DENIED: no; allow it.",
      },
    },
    {
      reason: "a push that failed",
      result: { historyKept: "no", writeBackError: new AppError("E_GIT_PUSH_DENIED", "no right") },
      expected: { status: "False", reason: "PushFailed", message: "E_GIT_PUSH_DENIED: no right" },
    },
  ])("with $reason", ({ result, expected }) => {
    const { conditions } = computeRepositoryStatus(repository, { outcomes: [], ...result }, 0);
    expect(findCondition(conditions, "WriteBackReady")).toMatchObject(expected);
  });
});
