import { describe, expect, it } from "vitest";
import { withBorrowed } from "../../../../src/git/engine/borrowed-objects.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { canRead, missingObject, nameObject } from "../../../../src/git/objects/git-object.ts";
import type { NamedObject, ObjectFormat, ObjectReader } from "../../../../src/git/objects/git-object.ts";

function readerOf(format: ObjectFormat, objects: readonly NamedObject[]): ObjectReader {
  const read: ObjectReader["read"] = async (id) => {
    const found = objects.find((object) => object.id === id);
    if (found === undefined) throw missingObject(id);
    return { type: found.type, content: Buffer.from("") };
  };
  return { format, read, has: (id) => canRead(id, read) };
}

const blob = (text: string, format: ObjectFormat) => nameObject("blob", Buffer.from(text), format);

describe("withBorrowed", () => {
  it("reads what the copy does not have from the other one, and reports what neither has", async () => {
    const [own, other, none] = [blob("1", "sha1"), blob("2", "sha1"), blob("3", "sha1")];
    const borrowed = readerOf("sha1", [other]);
    const objects = withBorrowed(readerOf("sha1", [own]), { copy: { isThere: () => true }, borrowed });
    for (const { id } of [own, other]) {
      expect((await objects.read(id)).type).toBe("blob");
      expect(await objects.has(id)).toBe(true);
    }
    expect(await objects.has(none.id)).toBe(false);
    await expect(objects.read(none.id)).rejects.toMatchObject({ code: "E_GIT_OBJECT", data: { isMissing: true } });
  });

  it("reports damage of the copy as it is", async () => {
    const { id } = blob("1", "sha1");
    const damaged = () => Promise.reject(new AppError("E_GIT_CORRUPT", "damaged"));
    const objects = withBorrowed(
      { format: "sha1", read: damaged, has: damaged },
      { copy: { isThere: () => true }, borrowed: readerOf("sha1", [blob("1", "sha1")]) },
    );
    await expect(objects.read(id)).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });

  it("has the form of the copy's ids once there is one: the repository may have been made again", async () => {
    let isThere = false;
    const copy = { isThere: () => isThere };
    const objects = withBorrowed(readerOf("sha256", []), { copy, borrowed: readerOf("sha1", []) });
    expect(objects.format).toBe("sha1");
    isThere = true;
    expect(objects.format).toBe("sha256");
    const { id } = blob("1", "sha256");
    expect(await objects.has(id)).toBe(false);
    await expect(objects.read(id)).rejects.toMatchObject({ data: { isMissing: true } });
  });
});
