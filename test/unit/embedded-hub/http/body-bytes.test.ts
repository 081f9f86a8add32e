import { describe, expect, it } from "vitest";
import { BodyBytes } from "../../../../src/embedded-hub/http/body-bytes.ts";

const mebibyte = 1024 * 1024;
const refused = expect.objectContaining({ status: expect.objectContaining({ code: 429 }) as object }) as Error;

/** Opens bodies of a user until one is refused, or 20,000 are open. */
function openMany(bodies: BodyBytes, username: string): number {
  for (let count = 0; count < 20_000; count += 1) {
    try {
      bodies.open(username);
    } catch (error) {
      expect(error).toEqual(refused);
      return count;
    }
  }
  return 20_000;
}

describe("bodies that arrive", () => {
  it("A60 of one user hold 64 MiB, and those of another user have room", () => {
    const bodies = new BodyBytes();
    const body = bodies.open("anna");
    body.add(63 * mebibyte);
    expect(() => body.add(mebibyte)).toThrow(refused);
    bodies.open("bert").add(mebibyte);
  });

  it("A171 count before anything of them has arrived: a request that is open holds memory", () => {
    const bodies = new BodyBytes();
    expect(openMany(bodies, "anna")).toBe(4_096);
    expect(openMany(bodies, "bert")).toBe(4_096);
  });

  it("A60 of all users hold 256 MiB", () => {
    const bodies = new BodyBytes();
    const counts = ["anna", "bert", "carl", "dora", "emma"].map((username) => openMany(bodies, username));
    expect(counts).toEqual([4_096, 4_096, 4_096, 4_096, 0]);
  });

  it("give room when they are released, once", () => {
    const bodies = new BodyBytes();
    const [first, second] = [bodies.open("anna"), bodies.open("anna")];
    first.add(40 * mebibyte);
    second.add(20 * mebibyte);
    first.release();
    first.release();
    second.add(40 * mebibyte);
    expect(() => bodies.open("anna").add(4 * mebibyte)).toThrow(refused);
  });
});
