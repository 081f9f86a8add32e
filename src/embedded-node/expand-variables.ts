/**
 * Replaces `$(NAME)` by its value, `$$` by `$`; what is not known stays as it is.
 * Source: Kubernetes documentation, "Define Dependent Environment Variables".
 */
export function expandVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/gu, (whole, name: string | undefined) => {
    if (whole === "$$") return "$";
    return name !== undefined && Object.hasOwn(values, name) ? (values[name] ?? "") : whole;
  });
}
