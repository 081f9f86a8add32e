import type { FaultRow } from "../attack-faults.ts";

/** Mechanisms of the embedded hub against users who may write some objects. */
export const hubObjectFaults: readonly FaultRow[] = [
  {
    number: "A242",
    name: "the names of built-in kinds",
    test: "unit/embedded-hub/resources/registry.test.ts",
    file: "src/embedded-hub/resources/registry.ts",
    from: "definitions.filter((one) => !namesOf(one).some((name) => this.builtInNames.has(name)));",
    to: "definitions;",
  },
  {
    number: "A242",
    name: "the objects of a built-in kind at the end of a definition of its name",
    test: "unit/embedded-hub/resources/registry.test.ts",
    file: "src/embedded-hub/crds/crd-controller.ts",
    from: "if (served?.isCustom !== true) return 0;",
    to: "if (served === undefined) return 0;",
  },
  {
    number: "A243",
    name: "the one reading of each number",
    test: "unit/embedded-hub/types/decode-built-in.test.ts",
    file: "src/embedded-hub/types/decode-built-in.ts",
    from: "  if (given === Infinity || given === -Infinity) {",
    to: "  if ([...(walk.literals ?? [])].some(([at]) => at === path && given === Infinity)) {",
  },
  {
    number: "A244",
    name: "the forgetting of a deleted object whose owner has an unknown kind",
    test: "unit/embedded-hub/controllers/deleted-objects.test.ts",
    file: "src/embedded-hub/controllers/garbage-collector.ts",
    from: "      unresolved.delete(collectorKey(self));\n",
    to: "",
  },
  {
    number: "A244",
    name: "the end of the timer of a deleted request for a certificate",
    test: "unit/embedded-hub/controllers/deleted-objects.test.ts",
    file: "src/embedded-hub/controllers/certificate-cleaner.ts",
    from: "({ object }) => queue.add(object.metadata.name)",
    to: '({ kind, object }) => kind !== "deleted" && queue.add(object.metadata.name)',
  },
  {
    number: "A245",
    name: "the turns of work on many objects",
    test: "unit/embedded-hub/controllers/in-turns.test.ts",
    file: "src/embedded-hub/controllers/in-turns.ts",
    from: "    await takeTurn();\n",
    to: "",
  },
  {
    number: "A246",
    name: "the index of Pods by their Node",
    test: "unit/embedded-hub/controllers/pods-by-node.test.ts",
    file: "src/embedded-hub/controllers/pod-collector.ts",
    from: "of podsByNode.keysOn(nodeName)) {",
    to: 'of writer.list("", "pods").map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)) {',
  },
  {
    number: "A247",
    name: "the one reading of all Services",
    test: "unit/embedded-hub/admission/taken-items.test.ts",
    file: "src/embedded-hub/admission/taken-items.ts",
    from: "      if (!isFollowing) start();\n",
    to: "      start();\n",
  },
];
