import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, certificates.k8s.io/v1. */
export const certificatesV1: TypeTable = {
  group: "certificates.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.certificates.v1",
  types: {
    CertificateSigningRequest: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 CertificateSigningRequestSpec always required",
      status: "3 CertificateSigningRequestStatus",
    },
    CertificateSigningRequestSpec: {
      request: "1 bytes always required atomic",
      signerName: "7 string always required",
      expirationSeconds: "8 *int32",
      usages:
        "5 []string atomic enum=any,cert%20sign,client%20auth,code%20signing,content%20commitment,crl%20sign,data%20encipherment,decipher%20only,digital%20signature,email%20protection,encipher%20only,ipsec%20end%20system,ipsec%20tunnel,ipsec%20user,key%20agreement,key%20encipherment,microsoft%20sgc,netscape%20sgc,ocsp%20signing,s%2Fmime,server%20auth,signing,timestamping",
      username: "2 string",
      uid: "3 string",
      groups: "4 []string atomic",
      extra: "6 map ExtraValue",
    },
    CertificateSigningRequestStatus: {
      conditions: "1 []CertificateSigningRequestCondition map=type",
      certificate: "2 bytes atomic",
    },
    CertificateSigningRequestCondition: {
      type: "1 string always required",
      status: "6 string always required",
      reason: "2 string",
      message: "3 string",
      lastUpdateTime: "4 Time",
      lastTransitionTime: "5 Time",
    },
    CertificateSigningRequestList: {
      metadata: "1 meta.ListMeta",
      items: "2 []CertificateSigningRequest always required",
    },
  },
};
