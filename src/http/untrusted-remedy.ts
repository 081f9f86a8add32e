/** What a person does about a server of git or of a forge whose certificate is not accepted. */
export const untrustedRemedy =
  "Name the file with the authority's certificate in the environment variable NODE_EXTRA_CA_CERTS, or by --git-ca-file, or give it in caBundle of the Repository. Renew a certificate that has expired.";
