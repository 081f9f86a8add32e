import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { AppError } from "../../../src/core/errors.ts";
import { nameKubectl } from "../../../src/kube/name-kubectl.ts";

describe("nameKubectl", () => {
  it.each<[ErrorCode, string]>([
    ["E_KUBE_UNREACHABLE", "get --raw /version"],
    ["E_KUBE_TLS", "get --raw /version"],
    ["E_KUBE_UNAUTHORIZED", "auth whoami"],
  ])("has the command of its own kubeconfig in the remedy of %s", (code, rest) => {
    const error = new AppError(code, "away", { recovery: "waiting", data: { status: 1 } });
    expect(nameKubectl("kubectl --kubeconfig my.yaml --context a$&b")(error)).toMatchObject({
      code,
      message: "away",
      recovery: "waiting",
      data: { status: 1 },
      remedy: expect.stringContaining(`\`kubectl --kubeconfig my.yaml --context a$&b ${rest}\``) as string,
    });
  });

  it("leaves other errors as they are, and each where the command is not known", () => {
    const away = new AppError("E_KUBE_UNREACHABLE", "away");
    const other = new AppError("E_KUBE_CONFLICT", "conflict");
    expect(nameKubectl(undefined)(away)).toBe(away);
    for (const error of [other, new Error("x"), "x"]) expect(nameKubectl("kubectl")(error)).toBe(error);
  });
});
