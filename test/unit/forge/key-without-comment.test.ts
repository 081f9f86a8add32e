import { expect, it } from "vitest";
import { keyWithoutComment } from "../../../src/forge/key-without-comment.ts";

it.each(["ssh-rsa AAAA", "ssh-rsa AAAA alice@laptop", " ssh-rsa  AAAA\talice of acme \n", "ssh-rsa AAAA "])(
  "has the type and the key of %j",
  (line) => {
    expect(keyWithoutComment(line)).toBe("ssh-rsa AAAA");
  },
);
