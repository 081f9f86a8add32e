import { describe, expect, it } from "vitest";
import type { BootstrapOptions } from "../../../src/bootstrap/bootstrap-options.ts";
import { ensureDeployKey } from "../../../src/bootstrap/ensure-deploy-key.ts";
import { makeDeployKey } from "../../../src/bootstrap/deploy-key.ts";
import { deployKeyOf } from "../../../src/bootstrap/git-secret.ts";
import { AppError } from "../../../src/core/errors.ts";
import { openSetup } from "./setup.ts";

function open() {
  const { state, options } = openSetup();
  const secret = { identity: makeDeployKey("rollcall").identity };
  const publicKey = deployKeyOf(secret, options.folder);
  const ensure = (isKnown: boolean, more: Partial<BootstrapOptions> = {}) =>
    ensureDeployKey({ ...options, ...more }, { secret, isKnown });
  return { state, publicKey, title: `rollcall ${publicKey.slice(-8)}`, ensure };
}

describe("ensureDeployKey", () => {
  it.each([true, false])("gives the forge a key that it does not have, of an earlier run: %s", async (isKnown) => {
    const { state, publicKey, title, ensure } = open();
    expect(await ensure(isKnown)).toEqual({ name: "deploy key", state: "created", message: title });
    expect(state.keys).toEqual([{ title, publicKey, isWriter: true }]);
  });

  it("leaves a key that may push, by whatever title", async () => {
    const { state, publicKey, ensure } = open();
    state.keys.push({ title: "by hand", publicKey, isWriter: true });
    expect(await ensure(true)).toEqual({ name: "deploy key", state: "unchanged", message: "by hand" });
    expect(state.keys).toHaveLength(1);
  });

  it("refuses a key that may only read, and names the way out", async () => {
    const { state, publicKey, ensure } = open();
    state.keys.push({ title: "by hand", publicKey, isWriter: false });
    await expect(ensure(true)).rejects.toMatchObject({
      code: "E_FORGE_REFUSED",
      message: "use deploy key by hand of acme/Fleet: it may only read; delete it at the forge",
      remedy: expect.stringContaining("Delete the key at the forge") as string,
    });
  });

  it.each([true, false])(
    "plans a key in a dry run, and shows none that it made: of an earlier run %s",
    async (isKnown) => {
      const { state, ensure } = open();
      expect(await ensure(isKnown, { isDryRun: true })).toEqual({
        name: "deploy key",
        state: "planned",
        message: "a new key, with the right to push",
      });
      expect(state.keys).toEqual([]);
    },
  );

  it.each([
    { isKnown: true, isDryRun: true, isShown: true },
    { isKnown: true, isDryRun: false, isShown: true },
    { isKnown: false, isDryRun: false, isShown: true },
    { isKnown: false, isDryRun: true, isShown: false },
  ])("shows the key for a git server (known $isKnown, dry run $isDryRun): $isShown", async (row) => {
    const { publicKey, ensure } = open();
    const step = await ensure(row.isKnown, { host: undefined, isDryRun: row.isDryRun });
    expect(step.details).toEqual(row.isShown ? [publicKey] : undefined);
    expect(step.state).toBe(row.isShown ? "unchanged" : "planned");
  });

  it.each([
    { error: new AppError("E_FORGE_REFUSED", "key is already in use", { data: { status: 422 } }), hasRemedy: true },
    { error: new AppError("E_FORGE_AUTH", "no rights"), hasRemedy: false },
  ])("fails as the forge does, with what to do about a key in use: $hasRemedy", async ({ error, hasRemedy }) => {
    const { state, ensure } = open();
    state.keyRefusal = error;
    const failed: unknown = await ensure(false).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: error.code, message: error.message, data: error.data });
    expect(failed === error).toBe(!hasRemedy);
    if (hasRemedy) expect(failed).toMatchObject({ remedy: expect.stringContaining("delete out/") as string });
  });
});
