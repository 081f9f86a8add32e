import { describe, expect, it } from "vitest";
import { parseRemoteUrl } from "../../../../src/git/wire/remote-url.ts";

describe("parseRemoteUrl", () => {
  it.each([
    { url: "https://git.example.org/team/fleet.git", kind: "http" },
    { url: "HTTPS://git.example.org:8443/team/fleet", kind: "http" },
    { url: "ssh://git@git.example.org:2222/team/fleet.git", kind: "ssh" },
    { url: "ssh://git.example.org/~/fleet.git", kind: "ssh" },
    { url: "git@github.com:team/fleet.git", kind: "ssh" },
    { url: "git@github.com:team/-fleet.git", kind: "ssh" },
    { url: "ssh://git.example.org/team/-fleet", kind: "ssh" },
  ])("accepts $url from anywhere", ({ url, kind }) => {
    expect(parseRemoteUrl(url)).toMatchObject({ kind });
    expect(parseRemoteUrl(url, { isLocalAllowed: true })).toMatchObject({ kind });
  });

  it.each([
    { url: "http://git.example.org/fleet.git", kind: "http" },
    { url: "/srv/git/fleet.git", kind: "local" },
    { url: "/srv/with space/fleet", kind: "local" },
    { url: "./fleet", kind: "local" },
    { url: "../fleet", kind: "local" },
    { url: ".", kind: "local" },
    { url: "..", kind: "local" },
    { url: "./with space", kind: "local" },
    { url: "../with space", kind: "local" },
    { url: "/srv/fleet@2::x", kind: "local" },
    { url: "fleet-", kind: "local" },
    { url: "fleet", kind: "local" },
    { url: "file:///srv/git/fleet.git", kind: "local" },
  ])("A24 accepts $url from the command line only", ({ url, kind }) => {
    expect(parseRemoteUrl(url, { isLocalAllowed: true })).toMatchObject({ kind });
    expect(() => parseRemoteUrl(url)).toThrow(expect.objectContaining({ code: "E_GIT_URL" }));
  });

  it.each([
    "",
    "-",
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=x@host:path",
    "ext::sh -c touch% /tmp/x",
    "EXT::sh -c id",
    "fd::17",
    "Ext://x",
    "git://git.example.org/fleet.git",
    "ftp://git.example.org/fleet.git",
    "http::https://x",
    "https::x",
    "ssh://-oProxyCommand=x/fleet.git",
    "ssh://a%zz@git.example.org/fleet.git",
    "file:///srv%2Ffleet",
    "ssh://-oProxyCommand=x@host/fleet.git",
    "git@-oProxyCommand=x:fleet.git",
    "-git@host:fleet.git",
    "git@host:",
    "git@host:-fleet",
    "git@host:~",
    "git@host:~//",
    "git@host://-fleet",
    "git@host::fleet",
    "x git@host:fleet",
    "git@[::1]:fleet",
    "a b",
    "-/srv/x",
    "ssh://host/~",
    "ssh://host//-fleet",
    "ssh://host",
    "ssh://host/",
    "file://host/share",
    "https://",
    "https:///fleet.git",
    "https://user:secret@git.example.org/fleet.git",
    "https://user@git.example.org/fleet.git",
    "ssh://git:secret@git.example.org/fleet.git",
    "https://git.example.org/fleet.git?service=x",
    "https://git.example.org/fleet.git#x",
    "https://git.example.org/fleet.git\n--upload-pack=x",
    "/srv/fleet\0.git",
    "javascript:alert(1)",
    "C:\\fleet",
  ])("A25 refuses %j even from the command line", (url) => {
    expect(() => parseRemoteUrl(url, { isLocalAllowed: true })).toThrow(expect.objectContaining({ code: "E_GIT_URL" }));
    expect(() => parseRemoteUrl(url)).toThrow(expect.objectContaining({ code: "E_GIT_URL" }));
  });

  it("A179 refuses a host of more than 253 characters", () => {
    const address = (length: number) => parseRemoteUrl(`https://${"x".repeat(length)}/team/fleet.git`);
    expect(address(253)).toMatchObject({ kind: "http" });
    expect(() => address(254)).toThrow(expect.objectContaining({ code: "E_GIT_URL" }));
  });

  it.each([
    "https://user:s3cret@git.example.org/x",
    "ssh://git:s3cret@h/x",
    "https://u:s3cret@x y",
    "u:s3cret@::h",
    "u:p@s3cret@::h",
  ])("A35 repeats no password of %s", (url) => {
    let message = "";
    try {
      parseRemoteUrl(url, { isLocalAllowed: true });
    } catch (error) {
      message = String(error);
    }
    expect(message).not.toBe("");
    expect(message).not.toContain("s3cret");
  });

  it("gives an address without a trailing slash, and an absolute path", () => {
    expect(parseRemoteUrl("https://git.example.org/fleet/")).toEqual({
      kind: "http",
      url: "https://git.example.org/fleet",
    });
    expect(parseRemoteUrl("file:///srv/with%20space", { isLocalAllowed: true })).toMatchObject({
      path: "/srv/with space",
    });
    expect(parseRemoteUrl("/a/../b", { isLocalAllowed: true })).toMatchObject({ path: "/b", url: "/a/../b" });
  });

  it.each([
    "https://git.example.com/fleet.git?private_token=s3cret",
    "https://git.example.com/fleet.git#s3cret",
    "ftp://git.example.com/fleet.git?a=s3cret",
    "git.example.com:fleet.git?token=s3cret",
  ])("A225 shows no query and no fragment of an address: tokens are in them: %s", (text) => {
    const shown = (): unknown => parseRemoteUrl(text);
    expect(shown).toThrow(/git\.example\.com/u);
    expect(shown).not.toThrow(/s3cret/u);
  });

  it.each(["https://me:secret@git.example.com/fleet.git", "https://me@git.example.com/fleet.git"])(
    "names the place of the credentials that an address carries: %s",
    (text) => {
      expect(() => parseRemoteUrl(text, { isLocalAllowed: true })).toThrow(
        expect.objectContaining({ code: "E_GIT_URL", remedy: expect.stringContaining("--git-token-file") as string }),
      );
    },
  );
});
