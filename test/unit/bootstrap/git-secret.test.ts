import { describe, expect, it } from "vitest";
import type { GitSecret } from "../../../src/bootstrap/bootstrap-options.ts";
import {
  deployKeyOf,
  makeGitSecret,
  printGitSecret,
  readGitSecret,
  refuseOtherAccess,
} from "../../../src/bootstrap/git-secret.ts";
const token = { kind: "token", token: "t0ken" } as const;
const key = { kind: "key", knownHosts: undefined } as const;

/** A folder in which an earlier run has written the text. */
function folderWith(text: string | undefined) {
  return { path: "out", read: () => Promise.resolve(text), write: () => Promise.resolve(true) };
}

async function readBack(secret: GitSecret) {
  const folder = folderWith(printGitSecret(secret, "rollcall-system"));
  return { folder, found: await readGitSecret(folder, "rollcall-system") };
}

describe("readGitSecret", () => {
  it("finds nothing where there is no file, and refuses one that is no Secret", async () => {
    expect(await readGitSecret(folderWith(undefined), "rollcall-system")).toBeUndefined();
    await expect(readGitSecret(folderWith("a: 1\n"), "rollcall-system")).rejects.toMatchObject({ code: "E_USAGE" });
  });

  it("refuses a Secret for another namespace than the one that the daemon gets now", async () => {
    const folder = folderWith(printGitSecret({ token: "t0ken" }, "rollcall-system"));
    await expect(readGitSecret(folder, "hub-system")).rejects.toThrow("is not for namespace hub-system");
  });

  it("finds the token of an earlier run, which the same run then uses", async () => {
    const { folder, found } = await readBack(makeGitSecret(token, ""));
    expect(found).toEqual({ token: "t0ken" });
    expect(() => refuseOtherAccess(found ?? {}, token, folder)).not.toThrow();
    expect(() => refuseOtherAccess(found ?? {}, { ...token, token: "another" }, folder)).toThrow(
      "is not for this token",
    );
    expect(() => refuseOtherAccess(found ?? {}, key, folder)).toThrow("has a token and no key");
  });

  it.each(["2027", "true", "null"])("names namespace %s as a text", async (namespace) => {
    const text = printGitSecret({ token: "t0ken" }, namespace);
    expect(await readGitSecret(folderWith(text), namespace)).toEqual({ token: "t0ken" });
  });

  it("finds the deploy key and the keys of the server", async () => {
    const made = makeGitSecret(key, "h ssh-ed25519 A\nh ssh-rsa B");
    const { folder, found } = await readBack(made);
    expect(found?.knownHosts).toBe("h ssh-ed25519 A\nh ssh-rsa B");
    expect(deployKeyOf(found ?? {}, folder)).toBe(deployKeyOf(made, folder));
    expect(() => refuseOtherAccess(found ?? {}, key, folder)).not.toThrow();
  });
});
