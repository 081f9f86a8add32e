/** `namespace/name` of an object, unique among its kind. Without a namespace, `/name`. */
export function namespacedName({
  metadata: { namespace = "", name },
}: {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}): string {
  return `${namespace}/${name}`;
}
