import { objectsAt, textAt } from "../../core/read-json.ts";
import type { PodSecurityRule } from "./pod-parts.ts";
import { distinct, plural, quoted } from "./pod-parts.ts";

const allowedSources: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

export const volumeRules: readonly PodSecurityRule[] = [
  {
    name: "restrictedVolumes",
    level: "restricted",
    replaces: "hostPathVolumes",
    check: ({ spec }) => {
      const sourcesOf = (volume: object): readonly string[] => Object.keys(volume).filter((key) => key !== "name");
      const isBad = (volume: object): boolean => !sourcesOf(volume).some((source) => allowedSources.has(source));
      const bad = objectsAt(spec, "volumes").filter(isBad);
      if (bad.length === 0) return undefined;
      const names = quoted(bad.map((volume) => textAt(volume, "name") ?? ""));
      const types = distinct(bad.flatMap(sourcesOf));
      const verb = bad.length === 1 ? "uses" : "use";
      const kinds = `${plural("restricted volume type", types.length)} ${quoted(types)}`;
      return { reason: "restricted volume types", detail: `${plural("volume", bad.length)} ${names} ${verb} ${kinds}` };
    },
  },
];
