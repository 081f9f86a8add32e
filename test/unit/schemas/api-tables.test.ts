import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
// @ts-expect-error -- scripts have no types
import { compareTables } from "../../../scripts/generate/api-tables.mjs";

interface Comparison {
  readonly lines: readonly string[];
  readonly typeCount: number;
}

const compare = compareTables as (options: object) => Promise<Comparison>;
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const goTypes = `package v1

// The kind of a part.
// +enum
type PartKind string

const (
	// PartRound is round.
	PartRound PartKind = "Round"
)

// A thing.
// +structType=atomic
type Thing struct {
	metav1.TypeMeta \`json:",inline"\`
	// +optional
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`

	// +listType=map
	// +listMapKey=name
	Parts []Part \`json:"parts" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=parts"\`
	// +default=ref(PartRound)
	Kind *PartKind \`json:"kind,omitempty" protobuf:"bytes,3,opt,name=kind"\`
	Origin \`json:",inline" protobuf:"bytes,4,req"\`
}

type Part struct {
	Name string \`json:"name" protobuf:"bytes,1,opt,name=name"\`
	Sizes map[string]resource.Quantity \`json:"sizes,omitempty" protobuf:"bytes,2,rep,name=sizes"\`
	// +optional
	Limit int32 \`json:"limit" protobuf:"varint,3,opt,name=limit"\`
}

type Origin struct {
	By types.UID \`json:"by,omitempty" protobuf:"bytes,1,opt,name=by"\`
}
`;

const thing = {
  "@": "atomic",
  metadata: "1 meta.ObjectMeta",
  parts: "2 []Part always required map=name patch=merge key=name",
  kind: '3 *string default="Round" enum=Round',
  "...origin": "4 Origin",
};
const part = { name: "1 string always required", sizes: "2 map Quantity", limit: "3 int32 always" };

function tableWith(types: object): { readonly root: string; readonly folder: string; readonly path: string } {
  const root = mkdtempSync(join(tmpdir(), "rollcall-api-tables-"));
  folders.push(root);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write("modules/api@v0.1.0/things/v1/types.go", goTypes);
  const path = "src/embedded-hub/types/tables/things-v1.ts";
  const rows = Object.entries(types).map(([name, row]) => `    ${name}: ${JSON.stringify(row, undefined, 6)},\n`);
  const head = 'group: "things", version: "v1", openApiPrefix: "io.k8s.api.things.v1"';
  write(path, `export const thingsV1 = {\n  ${head},\n  types: {\n${rows.join("")}  },\n};\n`);
  return { root, folder: join(root, "modules"), path: join(root, path) };
}

it("finds no difference between a table and the Go types that it was written from", async () => {
  const { root, folder } = tableWith({ Thing: thing, Part: part, Origin: { by: "1 string" } });
  expect(await compare({ root, folder, version: "v0.1.0", isWritten: false })).toEqual({ lines: [], typeCount: 3 });
});

it("lists fields that a table lacks or has otherwise, and writes them, with the types that they need", async () => {
  const { parts: _, ...fewer } = thing;
  const { root, folder, path } = tableWith({ Thing: { ...fewer, metadata: "9 meta.ObjectMeta" } });
  const { lines } = await compare({ root, folder, version: "v0.1.0", isWritten: true });
  expect(lines).toContain("io.k8s.api.things.v1.Thing.metadata: 9 meta.ObjectMeta -> 1 meta.ObjectMeta");
  expect(lines).toContain(`io.k8s.api.things.v1.Thing.parts: (none) -> ${thing.parts}`);
  expect(readFileSync(path, "utf8")).toContain('"sizes": "2 map Quantity"');
  const again = await compare({ root, folder, version: "v0.1.0", isWritten: false });
  expect(again).toEqual({ lines: [], typeCount: 3 });
});

it("names the tables whose Go types are not in the folder", async () => {
  const { root, folder } = tableWith({ Thing: thing });
  const { lines } = await compare({ root, folder, version: "v0.2.0", isWritten: false });
  expect(lines).toEqual([`io.k8s.api.things.v1: no Go types in ${folder} of version v0.2.0`]);
});
