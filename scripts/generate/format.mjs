import { format as formatted } from "oxfmt";

/** The text as `npm run format` writes a file of that name. */
export async function format(name, text) {
  const { code, errors } = await formatted(name, text, { printWidth: 120 });
  if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join("; ")}`);
  return code;
}
