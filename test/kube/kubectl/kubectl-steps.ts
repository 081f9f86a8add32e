import { fixedRequestPem, requestObject } from "../../support/certificate-request.ts";

/** One call of kubectl; steps run in order, each on what those before left. */
export interface KubectlStep {
  readonly args: string;
  readonly input?: string;
  /** Where the two hubs differ for a reason: what the embedded one prints instead. */
  readonly embedded?: { readonly prints: RegExp; readonly reason: string };
  /** What kubectl prints while it waits depends on when it polls: lines that match are left out on both hubs. */
  readonly whileWaiting?: RegExp;
  /** Lines come in any order, as Go prints a map. */
  readonly isUnordered?: boolean;
}

const manifests = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf", namespace: "shop" }, data: { a: "1" } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "sec", namespace: "shop" }, stringData: { key: "hello" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bot", namespace: "shop" } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "c", image: "nginx:1", ports: [{ containerPort: 80 }] }] },
        },
      },
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "reader", namespace: "shop" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "reader", namespace: "shop" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "bot", namespace: "shop" }],
    },
    { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l", namespace: "shop" }, spec: {} },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "shop" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    },
  ],
});

const limits = JSON.stringify({
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "all", namespace: "shop" },
  spec: {
    limits: [
      { type: "Container", max: { cpu: "2", memory: "1Gi" }, min: { cpu: "10m" }, default: { cpu: "1" } },
      { type: "Pod", max: { cpu: "3" }, maxLimitRequestRatio: { cpu: "10" } },
    ],
  },
});

/** Of a signer that neither hub has. */
const certificateRequest = (name: string) =>
  JSON.stringify(requestObject(name, fixedRequestPem, { signerName: "example.org/kubectl", expirationSeconds: 3600 }));

const crd = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.kubectl.example.org" },
  spec: {
    group: "kubectl.example.org",
    scope: "Namespaced",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", shortNames: ["gd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.n" } },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A gadget.",
            properties: {
              spec: {
                type: "object",
                description: "What is wanted.",
                properties: {
                  size: { type: "integer", maximum: 10, description: "How large." },
                  mode: { type: "string", enum: ["a", "b"], default: "a" },
                  replicas: { type: "integer" },
                },
              },
              status: { type: "object", properties: { n: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
});

const gadget = (size: number, more: object = {}): string =>
  JSON.stringify({
    apiVersion: "kubectl.example.org/v1",
    kind: "Gadget",
    metadata: { name: "one", namespace: "shop" },
    spec: { size, ...more },
  });
const conf = (data: object): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf", namespace: "shop" }, data });

const kinds = ["cm", "secret", "sa", "deploy", "role", "rolebinding", "lease", "svc", "gd"];
const forms = ["-o wide", "-o name", "-o json", "-o yaml --show-managed-fields", "--show-labels", "-L app"];
const noCertificate = (kind: string): boolean => kind !== "cm";

/** Every use of kubectl that the hub promises. `conf` and `default` accounts are what both hubs make alike. */
export const kubectlSteps: readonly KubectlStep[] = [
  { args: "create namespace shop" },
  { args: "wait --for=create cm/kube-root-ca.crt -n shop --timeout=20s" },
  { args: "apply -f - --dry-run=client", input: manifests },
  { args: "apply -f - --dry-run=server", input: manifests },
  { args: "diff -f -", input: conf({ a: "1" }) },
  { args: "apply -f -", input: manifests },
  { args: "apply -f -", input: manifests },
  { args: "diff -f -", input: manifests },
  { args: "apply -f -", input: crd },
  // kubectl fails over a definition that has no condition yet, and one with names has some.
  { args: "wait --for=jsonpath={.status.acceptedNames.kind}=Gadget crd/gadgets.kubectl.example.org --timeout=20s" },
  { args: "wait --for=condition=Established crd/gadgets.kubectl.example.org --timeout=20s" },
  { args: "create -f -", input: gadget(3) },
  { args: "apply -f -", input: gadget(30, { mode: "z" }), isUnordered: true },
  {
    args: "apply -f -",
    input: gadget(3, { colour: "red" }),
    embedded: {
      prints: /The request is invalid: patch: Invalid value: .*: strict decoding error: unknown field "spec\.colour"/u,
      reason: "the object printed has entries of managed fields in the order of its memory",
    },
  },
  { args: "apply -f - --validate=warn", input: gadget(3, { colour: "red" }) },
  { args: "wait --for=jsonpath={.status.observedGeneration}=1 deploy/web -n shop --timeout=20s" },
  ...kinds.flatMap((kind) =>
    forms
      .filter((form) => noCertificate(kind) || !/json|yaml/u.test(form))
      // Entries of managed fields are sorted by their second and then their manager: hubs differ where a second ends between two.
      .map((form): KubectlStep => ({ args: `get ${kind} -n shop ${form}`, isUnordered: form.includes("managed") })),
  ),
  { args: "get cm conf -n shop -o yaml --show-managed-fields", isUnordered: true },
  { args: "get cm conf -n shop -o jsonpath={.data.a}" },
  { args: "get cm conf -n shop -o go-template={{.data.a}}" },
  { args: "get cm -n shop -o custom-columns=N:.metadata.name" },
  { args: "get cm -n shop --field-selector=metadata.name=conf" },
  { args: "get cm -n shop --field-selector=data.a=1" },
  { args: "get cm -n shop --chunk-size=1" },
  { args: "get cm,secret -n shop conf" },
  { args: "get nothing" },
  { args: "get cm none -n shop" },
  { args: "get cm -n shop -w --request-timeout=1s" },
  { args: "explain gd" },
  { args: "explain gd.spec --recursive" },
  { args: "explain gd.spec.size" },
  { args: "explain cm" },
  { args: "explain nothing" },
  { args: "explain pod.spec.nope" },
  { args: "api-resources --api-group=kubectl.example.org -o wide" },
  { args: "api-resources --api-group=rbac.authorization.k8s.io -o wide" },
  { args: "api-resources --api-group=coordination.k8s.io -o wide" },
  { args: "describe ns shop", embedded: { prints: /Name: shop/u, reason: "quotas and limits are not served" } },
  { args: "describe deploy web -n shop" },
  { args: "describe gd one -n shop" },
  { args: "describe role reader -n shop" },
  { args: "apply --server-side --field-manager=two -f -", input: conf({ a: "2" }) },
  { args: "apply --server-side --field-manager=two --force-conflicts -f -", input: conf({ a: "2" }) },
  { args: "diff --server-side --field-manager=two -f -", input: conf({ a: "3" }) },
  { args: "get cm conf -n shop -o yaml --show-managed-fields", isUnordered: true },
  { args: `patch cm conf -n shop -p {"data":{"c":"3"}}` },
  { args: `patch cm conf -n shop --type=merge -p {"data":{"c":null}}` },
  { args: `patch cm conf -n shop --type=json -p [{"op":"test","path":"/data/a","value":"9"}]` },
  { args: `patch cm conf -n shop --type=json -p [{"op":"remove","path":"/data/zz"}]` },
  { args: `patch cm conf -n shop -p {"data":{"c":3}}` },
  { args: `patch gd one -n shop -p {"spec":{"size":4}}` },
  { args: `patch gd one -n shop --type=merge -p {"spec":{"size":44}}` },
  { args: `patch gd one -n shop --type=merge --subresource=status -p {"status":{"n":2}}` },
  { args: "scale gd one --replicas=5 -n shop" },
  { args: "get gd one -n shop -o yaml" },
  { args: "label cm conf x=1 -n shop" },
  { args: "label cm conf x=2 -n shop" },
  { args: "label cm conf x=2 --overwrite -n shop" },
  { args: "label cm conf x- -n shop" },
  { args: "label cm conf bad_=1 -n shop" },
  { args: "annotate cm conf n=v -n shop" },
  { args: "annotate cm conf n- -n shop" },
  { args: "set image deploy/web c=nginx:2 -n shop" },
  { args: "rollout status deploy/web -n shop --timeout=20s", whileWaiting: /^Waiting for deployment /u },
  { args: "rollout history deploy/web -n shop" },
  { args: "rollout undo deploy/web -n shop" },
  { args: "rollout status deploy/web -n shop --timeout=20s", whileWaiting: /^Waiting for deployment /u },
  { args: "scale deploy web --replicas=0 --current-replicas=5 -n shop" },
  { args: "scale deploy web --replicas=0 -n shop" },
  { args: "get deploy web -n shop --subresource=scale" },
  { args: "get gd one -n shop --subresource=scale" },
  { args: "get deploy web -n shop --subresource=scale -o yaml" },
  { args: `patch deploy web -n shop --subresource=scale --type=merge -p {"spec":{"replicas":0}}` },
  { args: `patch deploy web -n shop --subresource=scale -p {"spec":{"replicas":0}}` },
  { args: "rollout pause deploy/web -n shop" },
  { args: "rollout pause deploy/web -n shop" },
  { args: "rollout undo deploy/web -n shop" },
  { args: "rollout resume deploy/web -n shop" },
  { args: "rollout undo deploy/web -n shop --to-revision=99" },
  { args: "rollout restart cm/conf -n shop" },
  { args: "label cm --all x=1 -n shop", isUnordered: true },
  { args: "label cm --all x=2 -n shop", isUnordered: true },
  { args: "label cm --all x=2 --overwrite -n shop", isUnordered: true },
  { args: "label cm --all x- -n shop", isUnordered: true },
  { args: "annotate cm --all x=1 -n shop --dry-run=server", isUnordered: true },
  { args: "events -n shop --for cm/conf" },
  { args: "auth whoami" },
  { args: "wait --for=condition=Available deploy/web -n shop --timeout=20s" },
  { args: "wait --for=jsonpath={.data.a}=2 cm/conf -n shop --timeout=20s" },
  { args: "wait --for=delete cm/none -n shop --timeout=5s" },
  { args: "auth can-i get cm" },
  { args: "auth can-i get cm -n shop --as system:serviceaccount:shop:bot" },
  { args: "auth can-i delete cm -n shop --as system:serviceaccount:shop:bot" },
  { args: "auth can-i --list -n shop --as system:serviceaccount:shop:bot" },
  { args: "auth can-i get /healthz --as system:anonymous" },
  { args: "auth whoami --as joe --as-group g" },
  { args: "get secret -n shop --as system:serviceaccount:shop:bot" },
  { args: "delete cm conf -n shop --as joe" },
  { args: "create ns q --as joe" },
  { args: "create token bot -n shop --duration=1h" },
  { args: "create token bot -n shop --duration=1s" },
  { args: "create token nobody -n shop" },
  { args: "create cm conf -n shop" },
  { args: "create deploy bad -n shop --image= " },
  { args: "run p1 --image=nginx -n shop" },
  { args: "get po -n shop" },
  { args: "logs p1 -n shop" },
  { args: "logs none -n shop" },
  {
    args: "exec p1 -n shop -- ls",
    embedded: {
      prints: /Error from server \(NotImplemented\): this hub does not serve pods\/exec/u,
      reason: "nothing here can run a program in a container",
    },
  },
  {
    args: `patch po p1 -n shop -p {"spec":{"restartPolicy":"Never"}}`,
    embedded: {
      prints: /The Pod "p1" is invalid: spec: Forbidden: pod updates may not change fields other than/u,
      reason: "kube-apiserver adds a difference in the words of its own memory",
    },
  },
  { args: "delete po p1 -n shop --now" },
  { args: "replace -f -", input: gadget(5) },
  { args: "create --validate=ignore -f -", input: `{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"x"}}` },
  {
    args: "apply -f -",
    input: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"nonsuch"}}`,
  },
  {
    args: "apply -f -",
    input: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"BAD","namespace":"shop"}}`,
  },
  {
    args: "apply -f -",
    input: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"shop"},"dta":{}}`,
  },
  {
    args: "apply -f -",
    input: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"shop"},"data":{"a":1}}`,
  },
  { args: "apply view-last-applied cm/conf -n shop" },
  { args: "delete cm conf -n shop" },
  { args: "delete cm conf -n shop" },
  { args: "apply -f -", input: limits },
  { args: "get limits -n shop" },
  { args: "describe limits all -n shop", isUnordered: true },
  { args: "run limited --image none -n shop --dry-run=server -o yaml" },
  { args: "delete limits all -n shop" },
  { args: "delete deploy web -n shop --cascade=orphan" },
  { args: "get rs -n shop -o name", isUnordered: true },
  { args: "delete rs --all -n shop --cascade=background", isUnordered: true },
  { args: "delete gd one -n shop --cascade=foreground" },
  { args: "delete ns shop" },
  { args: "get ns shop" },
  { args: "delete crd gadgets.kubectl.example.org" },
  { args: "create -f -", input: certificateRequest("kubectl-a") },
  { args: "create -f -", input: certificateRequest("kubectl-b") },
  { args: "get csr kubectl-a kubectl-b" },
  { args: "certificate approve kubectl-a" },
  { args: "certificate approve kubectl-a" },
  { args: "certificate deny kubectl-a" },
  { args: "certificate deny kubectl-b" },
  { args: "get csr kubectl-a kubectl-b -o wide" },
  { args: "get csr kubectl-b -o yaml" },
  { args: "describe csr kubectl-a" },
  { args: "get csr --field-selector spec.signerName=example.org/kubectl -o name" },
  { args: "auth can-i approve signers.certificates.k8s.io/example.org/kubectl" },
  { args: "delete csr kubectl-a kubectl-b" },
];
