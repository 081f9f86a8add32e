import { AppError } from "../core/errors.ts";

const general = "kubectl --kubeconfig FILE";

/** Writes into the remedies of errors how a person runs kubectl against this server, where that is known. */
export function nameKubectl(kubectl: string | undefined): (error: unknown) => unknown {
  return (error) => {
    if (kubectl === undefined || !(error instanceof AppError) || !error.remedy.includes(general)) return error;
    const { code, message, cause, recovery, data } = error;
    return new AppError(code, message, { cause, recovery, data, remedy: error.remedy.replace(general, () => kubectl) });
  };
}
