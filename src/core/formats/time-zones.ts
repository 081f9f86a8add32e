/** Names that this program knows and Go does not. */
const foreignZones = new Set(
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" "),
);

let names: ReadonlyMap<string, string> | undefined;

function namesByLetters(): ReadonlyMap<string, string> {
  return (names ??= new Map(Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name])));
}

/**
 * Whether Go knows a time zone of this name, as an API server does. It finds a zone as a file: letters are large and small as in
 * the name of that.
 */
export function isTimeZone(name: string): boolean {
  if (name === "" || name === "UTC") return true;
  const named = namesByLetters().get(name.toLowerCase());
  if (named !== undefined) return named === name;
  // Other names, such as US/Pacific. Offsets are known to this program, and not to Go.
  const isWritten = name.split("/").every((part) => /^[A-Z]/u.test(part)) && !/^[A-Z][a-z]{2}$/u.test(name);
  if (!isWritten || foreignZones.has(name) || name.startsWith("SystemV/")) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
