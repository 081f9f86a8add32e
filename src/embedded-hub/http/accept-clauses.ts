/** One of the media types that an Accept header names. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * The clauses of an Accept header, the most wanted first; texts that are no clauses are left out. As kube-apiserver reads
 * them: cases differ, a quality that is no number is 0. Source: github.com/munnerz/goautoneg.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  return header.split(",").flatMap(parseClause).sort(byPreference);
}

/**
 * Whether one of the types is in the header as it is, or everything is accepted. The REST framework of kube-apiserver
 * asks this before anything else: it knows no `application/*`. Source: github.com/emicklei/go-restful, matchesAccept.
 */
export function namesOneOf(header: string, mediaTypes: readonly string[]): boolean {
  return header.split(",").some((clause) => {
    const type = clause.split(";", 1).join("").trim();
    return type === "*/*" || mediaTypes.includes(type);
  });
}

/** Whether the clause covers a media type. A wildcard of types needs one of subtypes. */
export function covers({ type, subtype }: AcceptClause, mediaType: string): boolean {
  const [offeredType, offeredSubtype] = mediaType.split("/");
  if (type === "*") return subtype === "*";
  return type === offeredType && (subtype === "*" || subtype === offeredSubtype);
}

function parseClause(text: string): AcceptClause[] {
  const [range = "", ...rest] = text.split(";");
  const [type = "", subtype = "", ...more] = range.split("/").map((part) => part.trim());
  if (more.length > 0 || (subtype === "" && type !== "*")) return [];
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const [key = "", value = "", ...others] = parameter.split("=");
    if (value === "" || others.length > 0) continue;
    if (key.trim() === "q") quality = qualityOf(value);
    else parameters.set(key.trim(), value.trim());
  }
  return [{ type, subtype: subtype === "" ? "*" : subtype, parameters, quality }];
}

function qualityOf(text: string): number {
  const value = text.trim() === text ? Number(text) : Number.NaN;
  return Number.isNaN(value) ? 0 : value;
}

function byPreference(a: AcceptClause, b: AcceptClause): number {
  if (isBefore(a, b)) return -1;
  return isBefore(b, a) ? 1 : 0;
}

function isBefore(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true;
  return (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}
