import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { printValues } from "../../../src/bootstrap/installation-values.ts";

const choices = { namespace: "rollcall-system", workspace: "fleet", hubUrl: undefined, image: undefined };
const access = { kind: "key", knownHosts: "" } as const;
const valuesOf = (url: string, image?: string): Record<string, unknown> =>
  parse(printValues(url, { branch: "main", access, choices: { ...choices, image } })) as Record<string, unknown>;

describe("printValues", () => {
  it.each([
    { url: "git@github.com:acme/fleet.git", port: undefined },
    { url: "ssh://git@git.example.com/acme/fleet.git", port: undefined },
    { url: "ssh://git@git.example.com:2222/acme/fleet.git", port: 2222 },
    { url: "https://git.example.com/acme/fleet", port: undefined },
    { url: "https://git.example.com:3000/acme/fleet", port: 3000 },
    { url: "http://git.example.com/acme/fleet", port: 80 },
    { url: "ssh://git@git.example.com:443/acme/fleet.git", port: undefined },
  ])("lets the daemon reach $url", ({ url, port }) => {
    const networkPolicy = { egressPorts: [22, 443, 6443, 8443, port] };
    expect(valuesOf(url)["networkPolicy"]).toEqual(port === undefined ? undefined : networkPolicy);
    expect(valuesOf(url)["options"]).toEqual({ repo: url, branch: "main" });
  });

  it("has the hub's address for agents, and whether ssh is used, where they are chosen", () => {
    const token = { kind: "token", token: "t" } as const;
    const chosen = { ...choices, hubUrl: "https://hub.example:6443" };
    const of = (parts: object) =>
      parse(printValues("https://git.example.com/a", { branch: "main", access, choices, ...parts })) as object;
    expect(of({ choices: chosen })).toMatchObject({ hub: { url: "https://hub.example:6443" }, git: { hasSsh: true } });
    expect(of({ access: token })).toMatchObject({ hub: { url: "" }, git: { secretName: "rollcall-git" } });
    expect(of({ access: token })).not.toHaveProperty("git.hasSsh");
    expect(of({ access: token })).not.toHaveProperty("image");
  });

  it.each([
    { image: "rollcall", repository: "rollcall", tag: "", digest: "" },
    { image: "localhost:5000/rollcall", repository: "localhost:5000/rollcall", tag: "", digest: "" },
    { image: "r.example.com/rollcall:1.2", repository: "r.example.com/rollcall", tag: "1.2", digest: "" },
    { image: "r.example.com/a@sha256:ab", repository: "r.example.com/a", tag: "", digest: "sha256:ab" },
  ])("takes $image apart as the chart wants it", ({ image, ...parts }) => {
    expect(valuesOf("https://git.example.com/a/b", image)["image"]).toEqual(parts);
  });
});
