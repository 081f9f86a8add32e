import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { refusingEngine } from "../../../../src/daemon/patient-engine.ts";
import { redactingEngine } from "../../../../src/git/engine/redacting-engine.ts";

const secret = "s3cret-of-the-repository";
const failing = refusingEngine("https://git.example/fleet", new AppError("E_GIT_AUTH", `no access with ${secret}`));
const engine = redactingEngine(failing, () => [secret]);

const done = Promise.resolve();

/** What an engine does over the network, or with what came over it. */
const calls = Object.keys(failing).filter((name) => name !== "url" && name !== "close");

describe("an error of a git engine", () => {
  it.each(calls)("A35 has no credential in it, whatever was asked: %s", async (name) => {
    const call = (): Promise<unknown> =>
      (engine as unknown as Record<string, () => Promise<unknown>>)[name]?.() ?? done;
    const error: unknown = await call().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "E_GIT_AUTH", message: "no access with ***" });
  });
});
