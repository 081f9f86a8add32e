import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import {
  assertObjectId,
  canRead,
  isMissingObject,
  isObjectId,
  malformedObject,
  missingObject,
  nameObject,
  tagForCommit,
  taggedObject,
  zeroId,
} from "../../../../src/git/objects/git-object.ts";

const [short, long] = ["a".repeat(40), "a".repeat(64)];

describe("isObjectId", () => {
  it.each([
    { text: short, sha1: true, sha256: false },
    { text: long, sha1: false, sha256: true },
    { text: short.toUpperCase(), sha1: false, sha256: false },
    { text: `${short}a`, sha1: false, sha256: false },
    { text: `-${short}`, sha1: false, sha256: false },
    { text: `${long}\n`, sha1: false, sha256: false },
    { text: `x${long}`, sha1: false, sha256: false },
    { text: "HEAD", sha1: false, sha256: false },
  ])("A12 takes $text for an id of sha1: $sha1, of sha256: $sha256", ({ text, sha1, sha256 }) => {
    expect([isObjectId(text, "sha1"), isObjectId(text, "sha256")]).toEqual([sha1, sha256]);
    if (sha1) expect(() => assertObjectId(text, "sha1")).not.toThrow();
    else expect(() => assertObjectId(text, "sha1")).toThrow(expect.objectContaining({ code: "E_GIT_OBJECT" }));
  });

  it("shows at most 80 characters of what is none", () => {
    expect(() => assertObjectId("x".repeat(80), "sha1")).toThrow(`not a sha1 object id: "${"x".repeat(80)}"`);
    expect(() => assertObjectId("x".repeat(81), "sha1")).toThrow(`not a sha1 object id: "${"x".repeat(80)}..."`);
  });
});

it("names no object by as many zeros as the format has digits", () => {
  expect([zeroId("sha1"), zeroId("sha256")]).toEqual(["0".repeat(40), "0".repeat(64)]);
});

it.each([
  { format: "sha1" as const, id: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" },
  { format: "sha256" as const, id: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813" },
])("names the empty blob as git does ($format)", ({ format, id }) => {
  expect(nameObject("blob", Buffer.alloc(0), format)).toMatchObject({ type: "blob", id });
});

describe("canRead", () => {
  it.each([
    { what: "an object that is there", error: undefined, expected: true },
    { what: "one that is missing", error: missingObject(short), expected: false },
  ])("is $expected for $what", async ({ error, expected }) => {
    const read = () => (error === undefined ? Promise.resolve() : Promise.reject(error));
    expect(await canRead(short, read)).toBe(expected);
  });

  it.each([
    malformedObject(short, "x"),
    new AppError("E_GIT_REMOTE", "x", { data: { isMissing: true } }),
    new Error("x"),
  ])("fails with %s", async (error) => {
    expect(isMissingObject(error)).toBe(false);
    await expect(canRead(short, () => Promise.reject(error))).rejects.toBe(error);
  });
});

describe("taggedObject", () => {
  const tagged = (text: string) => taggedObject(tagForCommit(short, Buffer.from(text)));

  it("is what a tag names, where a commit is expected", () => {
    expect([tagged(`object ${long}\ntype commit\n`), tagged(`object ${short}\n`)]).toEqual([long, short]);
  });

  it.each(["", `type commit\nobject ${short}\n`, `object ${short}`, `object ${short.toUpperCase()}\n`, "object abc\n"])(
    "is undefined for the tag %j",
    (text) => expect(tagged(text)).toBeUndefined(),
  );

  it("is undefined for every other error", () => {
    const error = new AppError("E_GIT_REMOTE", "x", { data: { tagged: short } });
    expect([taggedObject(missingObject(short)), taggedObject(error), taggedObject("x")]).toEqual(
      Array(3).fill(undefined),
    );
  });
});
