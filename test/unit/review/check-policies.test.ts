import { expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import { checkPolicies } from "../../../src/review/check-policies.ts";

it("A61 reads a file once, however many rules in it do not compile", async () => {
  const documents = Array.from({ length: 100 }, (_, index) =>
    JSON.stringify({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Policy",
      metadata: { name: `p-${index}` },
      spec: { rules: [{ expression: "object.", message: "no" }] },
    }),
  );
  const text = documents.join("\n---\n");
  const file = createFileParser()({ path: "policies.yaml", blobId: "1", bytes: new TextEncoder().encode(text) });
  const { fleet } = checkFleet([file], { defaultWorkspace: "fleet" });
  let reads = 0;
  const counted = {
    ...file,
    get text() {
      reads += 1;
      return text;
    },
  };
  const problems = await checkPolicies(fleet, { files: [counted] });
  expect(problems.map(({ line }) => line)).toEqual(documents.map((_, index) => 1 + 2 * index));
  expect(reads).toBe(1);
});

it("A85 reads no more than 1 MiB of files again for the places of rules", async () => {
  const padding = `# ${"x".repeat(200 * 1024)}\n`;
  const policy = (name: string) =>
    `---\napiVersion: rollcall.dev/v1alpha1\nkind: Policy\nmetadata:\n  name: ${name}\nspec:\n  rules:\n    - { expression: object., message: no }\n`;
  const parse = createFileParser();
  const files = Array.from({ length: 10 }, (_, index) =>
    parse({
      path: `f-${index}.yaml`,
      blobId: `${index}`,
      bytes: new TextEncoder().encode(policy(`p-${index}`) + padding),
    }),
  );
  const { fleet } = checkFleet(files, { defaultWorkspace: "fleet" });
  const read = new Set<string>();
  const counted = files.map((file) => ({
    ...file,
    get text() {
      read.add(file.path);
      return file.text;
    },
  }));
  const problems = await checkPolicies(fleet, { files: counted });
  expect(problems.map(({ line }) => line)).toEqual([...Array<number>(6).fill(8), ...Array<number>(4).fill(2)]);
  expect(read.size).toBe(6);
});
