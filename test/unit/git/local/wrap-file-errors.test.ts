import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { wrapFileErrors } from "../../../../src/git/local/wrap-file-errors.ts";

const fileError = (code: string) => Object.assign(new Error(`${code}: of the system`), { code, syscall: "write" });

it.each([
  ...["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE"].map(
    (code) => [code, "E_DISK_WRITE"] as const,
  ),
  ["ENOENT", "E_GIT_CORRUPT"],
  ["EIO", "E_GIT_CORRUPT"],
] as const)("takes %s of a file for %s", async (code, given) => {
  const cause = fileError(code);
  await expect(wrapFileErrors("/cache", () => Promise.reject(cause))).rejects.toMatchObject({
    ...{ code: given, cause, data: { reason: code } },
    message: `write the git cache /cache: ${code}`,
  });
});

it("leaves other errors as they are, and gives the result", async () => {
  expect(await wrapFileErrors("/cache", () => Promise.resolve(7))).toBe(7);
  const wrapped = new AppError("E_GIT_PROTOCOL", "read a pack: it is damaged", { cause: fileError("EIO") });
  const others = [wrapped, Object.assign(wrapped, { syscall: "read" }), new TypeError("a defect")];
  for (const error of others) await expect(wrapFileErrors("/cache", () => Promise.reject(error))).rejects.toBe(error);
  await expect(wrapFileErrors("/cache", () => readFile("/no/such/file"))).rejects.toMatchObject({
    code: "E_GIT_CORRUPT",
  });
});
