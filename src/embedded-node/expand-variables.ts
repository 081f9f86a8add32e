/**
 * Replaces `$(NAME)` by its value, `$$` by `$`; what is not known stays as it is, unless `onUnknown` has another answer.
 * Source: Kubernetes documentation, "Define Dependent Environment Variables".
 */
export function expandVariables(
  text: string,
  values: Readonly<Record<string, string>>,
  onUnknown: (name: string) => string = (name) => `$(${name})`,
): string {
  const lastClose = text.lastIndexOf(")");
  let expanded = "";
  let start = 0;
  for (let at = text.indexOf("$"); at >= 0; at = text.indexOf("$", start)) {
    expanded += text.slice(start, at);
    const close = text[at + 1] === "(" && at < lastClose ? text.indexOf(")", at) : -1;
    const name = text.slice(at + 2, close);
    start = close < 0 ? at + (text[at + 1] === "$" ? 2 : 1) : close + 1;
    if (close < 0) expanded += "$";
    else expanded += Object.hasOwn(values, name) ? (values[name] ?? "") : onUnknown(name);
  }
  return expanded + text.slice(start);
}
