import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { PrinterColumn } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import {
  csiDriverColumns,
  storageClassColumns,
  volumeAttachmentColumns,
} from "../../../../src/embedded-hub/table/storage-columns.ts";

const annotation = "storageclass.kubernetes.io/is-default-class";
const spec = { attachRequired: true, podInfoOnMount: false, volumeLifecycleModes: ["Persistent", "Ephemeral"] };
const attachment = { attacher: "a.io", nodeName: "n", source: { persistentVolumeName: "v" } };

it.each<{ columns: readonly PrinterColumn[]; content: JsonObject; cells: readonly (string | boolean)[] }>([
  {
    columns: storageClassColumns,
    content: { provisioner: "a.io", reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
    cells: ["a", "a.io", "Delete", "Immediate", false],
  },
  {
    columns: storageClassColumns,
    content: { metadata: { name: "a", annotations: { [annotation]: "true" } }, allowVolumeExpansion: true },
    cells: ["a (default)", "", "", "", true],
  },
  {
    columns: storageClassColumns,
    content: { metadata: { name: "a", annotations: { "storageclass.beta.kubernetes.io/is-default-class": "true" } } },
    cells: ["a (default)", "", "", "", false],
  },
  {
    columns: storageClassColumns,
    content: { metadata: { name: "a", annotations: { [annotation]: "false" } } },
    cells: ["a", "", "", "", false],
  },
  {
    columns: csiDriverColumns,
    content: { spec },
    cells: ["a", true, false, false, "<unset>", false, "Persistent,Ephemeral"],
  },
  {
    columns: csiDriverColumns,
    content: { spec: { tokenRequests: [{ audience: "b" }] } },
    cells: ["a", false, false, false, "b", false, ""],
  },
  {
    columns: csiDriverColumns,
    content: {
      spec: { ...spec, storageCapacity: true, tokenRequests: [{ audience: "b" }, { audience: "" }, { audience: "c" }] },
    },
    cells: ["a", true, false, true, "b,,c", false, "Persistent,Ephemeral"],
  },
  {
    columns: volumeAttachmentColumns,
    content: { spec: attachment, status: { attached: true } },
    cells: ["a", "a.io", "v", "n", true],
  },
  {
    columns: volumeAttachmentColumns,
    content: { spec: { ...attachment, source: { inlineVolumeSpec: {} } }, status: { attached: false } },
    cells: ["a", "a.io", "", "n", false],
  },
])("an object with $content shows $cells", ({ columns, content, cells }) => {
  const object = { apiVersion: "storage.k8s.io/v1", kind: "A", metadata: { name: "a" }, ...content };
  expect(columns.map(({ cell }) => cell(object, 0)).slice(0, -1)).toEqual(cells);
});
