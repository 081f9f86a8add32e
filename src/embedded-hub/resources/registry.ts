import { apiVersionOf } from "../../model/kubernetes.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { compareVersions } from "./compare-versions.ts";

export interface ServedGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly string[];
}

/** The definitions served now. A class because CRDs are created and deleted. */
export class ResourceRegistry {
  private readonly builtIn: readonly ResourceDefinition[];
  /** The resources and the kinds of these, with their groups. */
  private readonly builtInNames: ReadonlySet<string>;
  /** Versions of the custom kinds, by the name of their CRD. */
  private readonly custom = new Map<string, readonly ResourceDefinition[]>();
  private all: readonly ResourceDefinition[];
  private byResource = new Map<string, ResourceDefinition>();
  private byKind = new Map<string, ResourceDefinition>();
  private changes = 0;
  /** Who wants to know that the kinds of a CRD are served anew, by its name. */
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(builtIn: readonly ResourceDefinition[]) {
    this.builtIn = builtIn;
    this.builtInNames = new Set(builtIn.flatMap(namesOf));
    this.all = builtIn;
    this.index();
  }

  /** Increases with every change: caches of values made from the definitions use it. */
  get version(): number {
    return this.changes;
  }

  definitions(): readonly ResourceDefinition[] {
    return this.all;
  }

  /** The definition of a resource; without a version the preferred one. */
  definitionOf(group: string, plural: string, version?: string): ResourceDefinition | undefined {
    return this.byResource.get(resourceKey(group, plural, version ?? ""));
  }

  definitionOfKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
    return this.byKind.get(`${apiVersion}/${kind}`);
  }

  /** Groups in the order of discovery: built-in ones in the order of their tables, then custom ones by name. */
  groups(): readonly ServedGroup[] {
    const versions = new Map<string, string[]>();
    for (const { group, version } of this.all) {
      const known = versions.get(group) ?? [];
      if (!known.includes(version)) known.push(version);
      versions.set(group, known);
    }
    const builtInNames = new Set(this.builtIn.map((definition) => definition.group));
    const customNames = [...versions.keys()].filter((name) => !builtInNames.has(name)).sort();
    return [...builtInNames, ...customNames].map((name) => ({
      name,
      versions: builtInNames.has(name) ? (versions.get(name) ?? []) : (versions.get(name) ?? []).sort(compareVersions),
    }));
  }

  /** Calls once when the definition is replaced; never for a built-in one. Returns the function that ends the wait. */
  whenReplaced({ isCustom, plural, group }: ResourceDefinition, listener: () => void): () => void {
    if (!isCustom) return () => undefined;
    const crdName = `${plural}.${group}`;
    const listeners = this.waiting.get(crdName) ?? new Set();
    this.waiting.set(crdName, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.waiting.get(crdName) === listeners) this.waiting.delete(crdName);
    };
  }

  /** Serves the versions of a CRD from now on, in place of the previous ones, whose watchers are notified. */
  replaceCustom(crdName: string, definitions: readonly ResourceDefinition[]): void {
    this.setCustom(crdName, definitions);
    const listeners = this.waiting.get(crdName) ?? new Set();
    this.waiting.delete(crdName);
    for (const listener of listeners) listener();
  }

  /**
   * The same when nothing changed for those who read. A definition with the name of a built-in resource or kind is not
   * served, in no version: its objects would be those of the built-in one.
   */
  setCustom(crdName: string, definitions: readonly ResourceDefinition[]): void {
    const served = definitions.filter((one) => !namesOf(one).some((name) => this.builtInNames.has(name)));
    if (served.length === 0) this.custom.delete(crdName);
    else this.custom.set(crdName, served);
    const names = [...this.custom.keys()].sort();
    this.all = [...this.builtIn, ...names.flatMap((name) => this.custom.get(name) ?? [])];
    this.index();
    this.changes += 1;
  }

  private index(): void {
    this.byResource = new Map();
    this.byKind = new Map();
    for (const definition of this.all) {
      const { group, version, plural, kind } = definition;
      this.byResource.set(resourceKey(group, plural, version), definition);
      const preferred = this.byResource.get(resourceKey(group, plural, ""));
      const isBetter =
        preferred === undefined || (definition.isCustom && compareVersions(version, preferred.version) < 0);
      if (isBetter) this.byResource.set(resourceKey(group, plural, ""), definition);
      this.byKind.set(`${apiVersionOf(definition)}/${kind}`, definition);
    }
  }
}

/** Kinds begin with a capital letter, resources do not. */
function namesOf({ group, plural, kind }: ResourceDefinition): readonly string[] {
  return [`${group}/${plural}`, `${group}/${kind}`];
}

function resourceKey(group: string, plural: string, version: string): string {
  return `${group}/${version}/${plural}`;
}
